import { concatBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { asText, isMembers } from '../../../../packages/proofs/members.ts';
import { verifyAccountProof } from '../../../../packages/proofs/state-proof.ts';
import { type VerifiedHeader, verifyHeader } from '../../../../packages/proofs/verify-block.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { AnchoredChain, OutputClaim } from '../../../chain/output-claim.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { AnchorFigures } from '../../../observe/sources.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { BlockHeader } from '../../../pool/heads/block.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { describeRead } from '../state-client.ts';
import { CheckpointLinks } from './checkpoint-links.ts';
import type { Anchor } from './trust.ts';
import type { Verifier } from './verifier.ts';

/** Address of the L2ToL1MessagePasser predeploy (OP Stack). An output root commits to the storage root of the L2ToL1MessagePasser. */
const MESSAGE_PASSER = '0x4200000000000000000000000000000000000016';
const VERSION = new Uint8Array(32);
const NO_WITHDRAWALS = bytesToHex(EMPTY_TRIE_ROOT);

export type Layer1AnchorParts = {
  readonly network: string;
  readonly verifier: Verifier;
  readonly ask: Send;
  readonly head: () => BlockHeader | undefined;
  readonly refute: (upstream: Upstream, evidence: string) => void;
  readonly log: Logger;
};

/** A verified header, and the member `withdrawalsRoot` of the block object from which it was read. */
type ToldHeader = VerifiedHeader & { readonly withdrawalsRoot: string | undefined };
/** Number of the block to which an output root should commit, and a function that checks whether a header's timestamp fits this block. */
type MeantBlock = { readonly number: bigint; readonly isMeant: (header: ToldHeader) => boolean };
type ToldBlock = { readonly header: ToldHeader; readonly upstream: Upstream | undefined };

/**
 * Anchors a rollup in output roots on layer 1. The block to which an output root commits is canonical, and so are its ancestors, whatever nodes
 * report. A node with another block at this height is quarantined. If all nodes have another block, no block counts as verified.
 */
export class Layer1Anchor implements Anchor, AnchoredChain {
  readonly #parts: Layer1AnchorParts;
  #links: CheckpointLinks | undefined;
  /** Output root of the current anchor block. */
  #outputRoot = '';
  /** Reason why no block is anchored, or why no newer block is, as a clause for an error text. */
  #reason: string | undefined = 'layer 1 has not been read yet';
  #isContradicted = false;

  constructor(parts: Layer1AnchorParts) {
    this.#parts = parts;
  }

  get links(): CheckpointLinks | undefined {
    return this.#links;
  }

  get contradiction(): string | undefined {
    return this.#isContradicted ? this.#reason : undefined;
  }

  /** Finds the block to which an output root commits, and makes this block the anchor. Never rejects. */
  async anchor({ outputRoot, block }: OutputClaim, scope: RequestScope): Promise<void> {
    if (this.#outputRoot === outputRoot && !this.#isContradicted) {
      this.#reason = undefined;
      return;
    }
    try {
      const head = this.#parts.head();
      if (head === undefined) throw new UpstreamFault('missing', 'no head is known yet');
      const { number, isMeant } =
        'number' in block ? nameBlock(block.number) : await this.#findBlock(block.timestamp, head, scope);
      if (number < 0n) throw new UpstreamFault('missing', 'the chain has no block that old');
      if (number > head.number) throw new UpstreamFault('missing', `no node has block ${number} yet`);
      const told = await this.#sendToNodes(number, scope);
      const found = await this.#findRoot(told, outputRoot, scope);
      if (found !== undefined) return this.#adopt(found, outputRoot, told);
      if (!told.every(({ header }) => isMeant(header)))
        throw new UpstreamFault(
          'wrong',
          `the timestamp of block ${number} does not fit its distance from the head`,
        );
      this.#contradict(number, outputRoot);
    } catch (error) {
      if (!(error instanceof UpstreamFault || error instanceof ChainError)) throw error;
      if (!scope.aborted) this.noteUnanchored(error.message);
    }
  }

  /** Records why no newer anchor was found. The current anchor stays valid. A recorded contradiction stays, too. */
  noteUnanchored(reason: string): void {
    const { network, log } = this.#parts;
    if (this.#isContradicted || this.#reason === reason) return;
    this.#reason = reason;
    const block = this.#links?.checkpoint.number.toString();
    log.warn({ network, reason, block }, 'no newer block of the network can be anchored in layer 1');
  }

  describe(): AnchorFigures {
    const number = this.#links?.checkpoint.number;
    const reason = this.#reason;
    return {
      state: this.#isContradicted ? 'contradicted' : number === undefined ? 'waiting' : 'anchored',
      ...(reason !== undefined && { reason }),
      ...(number !== undefined && { number: Number(number) }),
    };
  }

  #adopt(block: ToldHeader, outputRoot: string, told: readonly ToldBlock[]): void {
    const { network, verifier, ask, refute, log } = this.#parts;
    const { number, hash } = block;
    if (this.#links !== undefined && number > this.#links.checkpoint.number)
      this.#links.moveTo({ number, hash });
    else this.#links = new CheckpointLinks({ number, hash }, verifier, ask, 'anchored');
    this.#outputRoot = outputRoot;
    this.#reason = undefined;
    this.#isContradicted = false;
    log.info({ network, block: `${number}`, hash, outputRoot }, 'the network is anchored in layer 1');
    for (const { header, upstream } of told)
      if (upstream !== undefined && header.hash !== hash)
        refute(upstream, `about block ${number}: its hash is ${header.hash}, but layer 1 commits to ${hash}`);
  }

  #contradict(number: bigint, outputRoot: string): void {
    const { network, log } = this.#parts;
    const reason = `no node has the block ${number} that layer 1 commits to`;
    if (this.contradiction !== reason)
      log.error(
        { network, block: `${number}`, outputRoot },
        `${reason}: answers about blocks cannot be verified`,
      );
    this.#reason = reason;
    this.#isContradicted = true;
  }

  /** Computes the number of the latest block up to a timestamp (seconds), under the assumption of a constant block time. */
  async #findBlock(timestamp: bigint, head: BlockHeader, scope: RequestScope): Promise<MeantBlock> {
    const { parentHash } = head;
    const { header } = await this.#requestHeader(head.number - 1n, parentHash, new Set(), scope);
    const pace = head.timestamp - header.timestamp;
    const left = head.timestamp - timestamp;
    if (left < 0n) throw new UpstreamFault('missing', `no node has a block with timestamp ${timestamp} yet`);
    if (pace <= 0n) throw new UpstreamFault('missing', 'the last two blocks have the same timestamp');
    return {
      number: head.number - (left + pace - 1n) / pace,
      isMeant: (block) => block.timestamp <= timestamp && timestamp < block.timestamp + pace,
    };
  }

  /**
   * Requests the header at a height from every node.
   * @throws UpstreamFault if no node returns a header whose hash verifies
   */
  async #sendToNodes(number: bigint, scope: RequestScope): Promise<readonly ToldBlock[]> {
    const requested = new Set<Upstream>();
    const told: ToldBlock[] = [];
    for (;;) {
      try {
        told.push(await this.#requestHeader(number, undefined, requested, scope));
      } catch (error) {
        if (told.length === 0 || !(error instanceof UpstreamFault)) throw error;
        return told;
      }
      const { upstream } = told.at(-1) as ToldBlock;
      if (upstream === undefined) return told;
      requested.add(upstream);
    }
  }

  /** Requests and verifies a header. @param hash hash of the block; undefined if it is unknown */
  async #requestHeader(
    number: bigint,
    hash: string | undefined,
    except: ReadonlySet<Upstream>,
    scope: RequestScope,
  ): Promise<ToldBlock> {
    let told: ToldBlock | undefined;
    const call: UpstreamRequest = {
      method: hash === undefined ? 'eth_getBlockByNumber' : 'eth_getBlockByHash',
      params: `["${hash ?? encodeQuantity(number)}",false]`,
      block: { number, hash },
      nulls: 'fault',
      isText: true,
      check: (result, upstream) => {
        told = { header: this.#readHeader(parseJsonText(result as JsonText), number, hash), upstream };
        return result;
      },
    };
    await this.#parts.ask({ call, scope, except });
    return told as unknown as ToldBlock;
  }

  #readHeader(block: unknown, number: bigint, hash: string | undefined): ToldHeader {
    const members = isMembers(block) ? block : {};
    const { withdrawalsRoot } = members;
    const header = verifyHeader(members, hash ?? asText(members['hash']), this.#parts.verifier.openTools());
    if (header?.number !== number)
      throw new UpstreamFault('wrong', 'the header does not belong to its block');
    return { ...header, withdrawalsRoot: withdrawalsRoot == null ? undefined : asText(withdrawalsRoot) };
  }

  /**
   * Returns the header of the block to which the output root commits; undefined if it is none of the headers.
   * @throws UpstreamFault if no header matches and the output root of at least one header could not be computed
   */
  async #findRoot(
    told: readonly ToldBlock[],
    outputRoot: string,
    scope: RequestScope,
  ): Promise<ToldHeader | undefined> {
    let unknown: unknown;
    const headers = new Map(told.map(({ header }) => [header.hash, header]));
    for (const header of headers.values()) {
      try {
        if (await this.#makes(header, outputRoot, scope)) return header;
      } catch (error) {
        unknown = error;
      }
    }
    if (unknown !== undefined) throw unknown;
    return undefined;
  }

  /**
   * Returns whether `outputRoot` is the output root of the block with this header. Since Isthmus, the header contains the storage root of the message
   * passer; before, an account proof is needed.
   */
  async #makes(header: ToldHeader, outputRoot: string, scope: RequestScope): Promise<boolean> {
    const { withdrawalsRoot } = header;
    if (withdrawalsRoot !== undefined && computeOutputRoot(header, withdrawalsRoot) === outputRoot)
      return true;
    if (withdrawalsRoot !== undefined && withdrawalsRoot.toLowerCase() !== NO_WITHDRAWALS) return false;
    return computeOutputRoot(header, await this.#proveStorageRoot(header, scope)) === outputRoot;
  }

  async #proveStorageRoot({ number, hash, stateRoot }: ToldHeader, scope: RequestScope): Promise<string> {
    let storageRoot: Uint8Array | undefined;
    const call: UpstreamRequest = {
      ...describeRead('eth_getProof', `"${MESSAGE_PASSER}",[]`, { number, hash, isCanonical: true }),
      check: (result) => {
        const { findings } = this.#parts.verifier.openTools();
        const request = { address: MESSAGE_PASSER, slots: [] };
        const proven = verifyAccountProof(parseJsonText(result as JsonText), request, stateRoot, findings);
        if (proven === undefined)
          throw new UpstreamFault('wrong', 'the proof of the message passer is wrong');
        storageRoot = proven.account?.storageRoot ?? EMPTY_TRIE_ROOT;
        return result;
      },
    };
    try {
      await this.#parts.ask({ call, scope });
    } catch (error) {
      if (!(error instanceof UpstreamFault || error instanceof ChainError)) throw error;
      throw new UpstreamFault(
        'missing',
        `no node proves the message passer at block ${number}: ${error.message}`,
      );
    }
    return bytesToHex(storageRoot as Uint8Array);
  }
}

function nameBlock(number: bigint): MeantBlock {
  return { number, isMeant: () => true };
}

function computeOutputRoot({ stateRoot, hash }: ToldHeader, storageRoot: string): string {
  return bytesToHex(
    keccak256(concatBytes(VERSION, hexToBytes(stateRoot), hexToBytes(storageRoot), hexToBytes(hash))),
  );
}
