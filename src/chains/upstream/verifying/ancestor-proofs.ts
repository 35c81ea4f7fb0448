/** Verifies ancestors of a block with a known hash, by `parentHash` of headers and by the history contract (EIP-2935). */

import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { asText, isMembers } from '../../../../packages/proofs/members.ts';
import { verifyAccountProof } from '../../../../packages/proofs/state-proof.ts';
import { type VerifiedHeader, verifyHeader } from '../../../../packages/proofs/verify-block.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { describeRead } from '../state-client.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of headers that are requested concurrently. */
const BATCH = 64n;
/** EIP-2935: address of the history storage contract, and the number of block hashes it stores. */
const HISTORY_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935';
export const HISTORY_LENGTH = 8_191n;

type Block = { readonly number: bigint; readonly hash: string };

/** Dependencies of `proveOlderHash` and `HeaderReader`. */
export type AncestorParts = {
  readonly verifier: Verifier;
  readonly ask: Send;
  readonly scope: RequestScope;
  /** Returns a verified header from a cache; undefined if it is not cached. */
  readonly findHeader?: (hash: string) => VerifiedHeader | undefined;
};

/**
 * Reads the hash of an older block from the EIP-2935 contract, with an account proof.
 * @param from block with a known hash, whose state is read
 * @param to number of the older block, at most `HISTORY_LENGTH` below `from`
 * @returns the 32-byte hash as lower-case `0x` text; undefined if the contract has stored no hash for this block
 * @throws UpstreamFault, ChainError if no node returns a valid proof
 */
export async function proveOlderHash(
  { verifier, ask, scope, findHeader }: AncestorParts,
  from: Block,
  to: bigint,
): Promise<string | undefined> {
  const known = findHeader?.(from.hash);
  const { stateRoot } = known ?? (await new HeaderReader({ verifier, ask, scope }).read(from, 1n));
  const slot = `0x${(to % HISTORY_LENGTH).toString(16).padStart(64, '0')}`;
  const query = { address: HISTORY_ADDRESS, slots: [slot] };
  let word = 0n;
  const call: UpstreamRequest = {
    ...describeRead('eth_getProof', `"${HISTORY_ADDRESS}",["${slot}"]`, { ...from, isCanonical: true }),
    check: (result) => {
      const { findings } = verifier.openTools();
      const proven = verifyAccountProof(parseJsonText(result as JsonText), query, stateRoot, findings);
      if (proven === undefined) throw new UpstreamFault('wrong', 'the proof of an older block hash is wrong');
      word = proven.words[0] ?? 0n;
      return result;
    },
  };
  await ask({ call, scope });
  return word === 0n ? undefined : `0x${word.toString(16).padStart(64, '0')}`;
}

/** A verified header, and the node that returned it. */
type ToldHeader = { readonly header: VerifiedHeader; readonly upstream: Upstream | undefined };

/** Reads headers downwards, each by the parent hash in its child; requests the next headers in advance by number. */
export class HeaderReader {
  readonly #verifier: Verifier;
  readonly #ask: Send;
  readonly #scope: RequestScope;
  readonly #coming = new Map<bigint, Promise<ToldHeader | undefined>>();

  constructor({ verifier, ask, scope }: AncestorParts) {
    this.#verifier = verifier;
    this.#ask = ask;
    this.#scope = scope;
  }

  /**
   * Returns the header with this hash.
   * @param left number of headers that the caller will still read, including this one
   * @throws UpstreamFault if no node has the header
   */
  async read({ number, hash }: Block, left: bigint): Promise<VerifiedHeader> {
    if (left > 1n && !this.#coming.has(number)) {
      for (let i = 0n; i < left && i < BATCH; i++) this.#coming.set(number - i, this.#readAt(number - i));
    }
    const coming = await this.#coming.get(number);
    this.#coming.delete(number);
    if (coming?.header.hash === hash) return coming.header;
    // The node has another block at this height, or it has returned a wrong block.
    if (coming !== undefined) this.#verifier.noteOther({ number, hash }, coming.upstream);
    const { header, upstream } = await this.#request('eth_getBlockByHash', hash, { number, hash });
    this.#verifier.classify(header, [], ['header'], upstream);
    return header;
  }

  #readAt(number: bigint): Promise<ToldHeader | undefined> {
    const told = this.#request('eth_getBlockByNumber', encodeQuantity(number), { number, hash: undefined });
    return told.catch((error: unknown) => {
      if (error instanceof UpstreamFault || error instanceof ChainError) return undefined;
      throw error;
    });
  }

  async #request(method: string, name: string, block: BlockPosition): Promise<ToldHeader> {
    let told: ToldHeader | undefined;
    const call: UpstreamRequest = {
      method,
      params: `["${name}",false]`,
      block,
      nulls: 'fault',
      isText: true,
      check: (result, upstream) => {
        told = { header: this.#verify(result, block), upstream };
        return result;
      },
    };
    await this.#ask({ call, scope: this.#scope });
    if (told === undefined) throw new UpstreamFault('missing', 'no node has the header');
    return told;
  }

  #verify(result: JsonResult, { number, hash }: BlockPosition): VerifiedHeader {
    const block: unknown = parseJsonText(result as JsonText);
    const members = isMembers(block) ? block : {};
    const header = verifyHeader(members, hash ?? asText(members['hash']), this.#verifier.openTools());
    if (header?.number !== number)
      throw new UpstreamFault('wrong', 'the header does not belong to its block');
    return header;
  }
}
