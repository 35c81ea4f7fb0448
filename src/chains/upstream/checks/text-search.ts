/** Searches JSON text for block and transaction hashes, in WebAssembly: see `assembly/search-text.ts`. */
import { decodeBase64 } from '../../../../packages/ethereum/primitives/base64.ts';
import {
  WEB_ASSEMBLY,
  type WebAssemblyMemory,
} from '../../../../packages/ethereum/primitives/webassembly.ts';
import { TEXT_SEARCH_MODULE } from './text-search-module.ts';

type Global = { readonly value: number };
const text = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(decodeBase64(TEXT_SEARCH_MODULE))).exports as {
  readonly memory: WebAssemblyMemory;
  readonly HASHES: Global;
  readonly BLOCK_HASH: Global;
  readonly BEFORE: Global;
  readonly state: Global;
  readonly found: Global;
  readonly receipts: Global;
  readonly hasOwn: Global;
  readonly hasOther: Global;
  begin(state: number): void;
  search(start: number, end: number, wanted: number, isBlock: boolean): number;
};

/** Offset of the second page of the module's memory, which the module itself does not use. */
const BUFFER = 65_536;
const space = Buffer.from(text.memory.buffer);
const BEFORE = text.BEFORE.value;
/** Maximum number of transaction hashes that are in the module's memory at a time. */
const WINDOW = 64;
const DIGITS = 64;
const PREFIX_LENGTH = 2;
/** Upper bound on the number of bytes at the end of a piece that are searched with the next piece, including `BEFORE` bytes of context. */
const MAX_REST = 128;

/** Block hash and transaction hashes to search for, in lower case. */
export type SoughtBlock = { readonly hash: string; readonly transactionHashes: readonly string[] };

/**
 * Searches a text in one pass, in pieces of any size; the result does not depend on the pieces. Finds the transaction hashes in their order, and
 * block hashes after a member name, as in `"blockHash":"0x…"`, at any depth. The text must be valid JSON.
 */
export class TextSearch {
  readonly #isBlock: boolean;
  readonly #hash: Buffer;
  readonly #transactionHashes: readonly string[];
  /** Hex digits of up to `WINDOW` transaction hashes. The first of them has the index `#windowStart` in the block. */
  #window: Buffer | undefined;
  #windowStart = 0;
  #found = 0;
  #receipts = 0;
  #hasOwn = false;
  #hasOther = false;
  #state = 0;
  /** End of the previous piece: `BEFORE` bytes of context, and then the bytes that are searched with the next piece. */
  readonly #rest: Buffer = Buffer.alloc(MAX_REST);
  #restLength: number = BEFORE;

  /** @param kind member name before a block hash: `"blockHash"` for `receipts`; `"hash"` in upper or lower case for `block` */
  constructor(kind: 'receipts' | 'block', { hash, transactionHashes }: SoughtBlock) {
    this.#isBlock = kind === 'block';
    this.#hash = readDigits([hash]);
    this.#transactionHashes = transactionHashes;
  }

  /** Returns whether all transaction hashes have been found. */
  get hasAll(): boolean {
    return this.#found === this.#transactionHashes.length;
  }

  /** Number of receipts, counted by the member name `"cumulativeGasUsed"`, which a receipt contains exactly once. */
  get receipts(): number {
    return this.#receipts;
  }

  /** True if the text contains the hash of the sought block. `hasOther` is true if the text contains the hash of a different block. */
  get hasOwn(): boolean {
    return this.#hasOwn;
  }

  get hasOther(): boolean {
    return this.#hasOther;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const room = space.length - BUFFER - this.#restLength;
      const part = piece.subarray(at, at + room);
      this.#addPart(part);
      at += part.length;
    }
  }

  #addPart(part: Uint8Array): void {
    space.set(this.#rest.subarray(0, this.#restLength), BUFFER);
    space.set(part, BUFFER + this.#restLength);
    space.set(this.#hash, text.BLOCK_HASH.value);
    const end = BUFFER + this.#restLength + part.length;
    let at = BUFFER + BEFORE;
    for (let isAtEnd = false; !isAtEnd; ) {
      const wanted = this.#loadHashes();
      text.begin(this.#state);
      at = text.search(at, end, wanted, this.#isBlock);
      this.#state = text.state.value;
      this.#found += text.found.value;
      this.#receipts += text.receipts.value;
      this.#hasOwn ||= text.hasOwn.value !== 0;
      this.#hasOther ||= text.hasOther.value !== 0;
      isAtEnd = wanted === 0 || text.found.value < wanted;
    }
    this.#restLength = space.copy(this.#rest, 0, at - BEFORE, end);
  }

  /**
   * Writes the hex digits of the next transaction hashes to find into the module's memory.
   * @returns the number of hashes written
   */
  #loadHashes(): number {
    const hashes = this.#transactionHashes;
    const place = this.#found % WINDOW;
    const wanted = Math.min(WINDOW - place, hashes.length - this.#found);
    if (wanted === 0) return 0;
    const start = this.#found - place;
    if (this.#window === undefined || start !== this.#windowStart) {
      this.#window = readDigits(hashes.slice(start, start + WINDOW));
      this.#windowStart = start;
    }
    space.set(this.#window.subarray(place * DIGITS), text.HASHES.value);
    return wanted;
  }
}

function readDigits(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.map((hash) => hash.slice(PREFIX_LENGTH)).join(''), 'latin1');
}
