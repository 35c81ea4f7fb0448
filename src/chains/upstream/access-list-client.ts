import {
  type BlockAccessList,
  decodeBlockAccessList,
  encodeBlockAccessList,
} from '../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { VerifiedHeader } from '../../../packages/proofs/verify-block.ts';
import { parseBlockAccessListJson } from '../../chain/block-access-list-json.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { AnsweredList, HeadPlace, ListNodes } from '../local-execution/proven/state-nodes.ts';
import type { RequestParts } from './call-requests.ts';
import { checkAccessList } from './verifying/check-access-list.ts';
import { nameBlock, WholeBlocks } from './whole-blocks.ts';

/**
 * Maximum length of an answer that is parsed, UTF-16 units; longer answers are ignored. A list of a million units takes about 20 ms to parse, without
 * a pause.
 */
const MAX_LENGTH = 2 << 20;

type EncodedList = { readonly list: BlockAccessList; readonly encoded: Uint8Array };

/** RPC method that returns block access lists (EIP-7928). */
type Form = {
  readonly method: string;
  readonly name: (at: HeadPlace) => string;
  /**
   * True if the request names the block by hash. An access list of another block is then an invalid answer. Without the hash, the node may be on
   * another fork.
   */
  readonly isByHash: boolean;
  /** @throws Error if the list is malformed */
  readonly read: (answer: unknown) => EncodedList;
};

const FORMS: readonly Form[] = [
  {
    method: 'eth_getBlockAccessList',
    name: ({ hash }) => hash,
    isByHash: true,
    read(answer) {
      const list = parseBlockAccessListJson(answer);
      return { list, encoded: encodeBlockAccessList(list) };
    },
  },
  {
    method: 'debug_getRawBlockAccessList',
    name: ({ number }) => encodeQuantity(number),
    isByHash: false,
    read(answer) {
      const encoded = hexToBytes(String(answer));
      return { list: decodeBlockAccessList(encoded), encoded };
    },
  },
];

/**
 * Requests block access lists from the node pool, and compares the hash of each list with the hash in its block's header. Methods throw UpstreamFault
 * and ChainError.
 */
export class AccessListClient implements ListNodes {
  readonly #parts: RequestParts;
  readonly #blocks: WholeBlocks;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#blocks = new WholeBlocks(parts);
  }

  findHeader(number: bigint, hash: string, scope: RequestScope): PromiseOrValue<HeadPlace | undefined> {
    const header = this.#parts.proofs?.blocks?.proveHeader(
      { number, hash },
      (inner) => this.#blocks.ask(nameBlock({ number, hash }, false, false), hash, false, inner),
      scope,
    );
    return continueWith(header, (known) => known && toHeadPlace(known));
  }

  /**
   * Returns undefined if no node supports a method of `FORMS`. A node that lacks one of these methods does not receive the method again for a while.
   */
  async requestAccessList(at: HeadPlace, scope: RequestScope): Promise<AnsweredList | undefined> {
    for (const form of FORMS) {
      try {
        return await this.#ask(form, at, scope);
      } catch (error) {
        if (!(error instanceof UpstreamFault) || error.kind !== 'unsupported') throw error;
      }
    }
    return undefined;
  }

  async #ask(form: Form, at: HeadPlace, scope: RequestScope): Promise<AnsweredList> {
    const { number, hash } = at;
    let answered: AnsweredList | undefined;
    const call: UpstreamRequest = {
      method: form.method,
      params: `["${form.name(at)}"]`,
      block: { number, hash },
      nulls: 'fault',
      isText: true,
      isBound: true,
      check: (result, upstream) => {
        answered = this.#check(form, at, result as JsonText, upstream);
        return result;
      },
    };
    await this.#parts.ask({ call, scope });
    return answered as AnsweredList;
  }

  #check(
    { isByHash, read }: Form,
    { number, hash, accessListHash }: HeadPlace,
    text: JsonText,
    upstream: Upstream | undefined,
  ): AnsweredList {
    const { length } = text;
    if (length > MAX_LENGTH) return { length, list: undefined };
    const found = readOrUndefined(() => read(parseJsonText(text)));
    const isCorrect = found !== undefined && bytesToHex(keccak256(found.encoded)) === accessListHash;
    checkAccessList(this.#parts.proofs?.verifier, { number, hash, isCorrect, isByHash }, upstream);
    return { length, list: found?.list };
  }
}

/** Selects the fields of a canonical block's verified header that `HeadPlace` contains. */
export function toHeadPlace({
  number,
  hash,
  stateRoot,
  parentHash,
  accessListHash,
}: VerifiedHeader): HeadPlace {
  return { number, hash, stateRoot, parentHash, accessListHash, isCanonical: true };
}

function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
