import { decodeBase64 } from '../../../packages/ethereum/primitives/base64.ts';
import type { CallBytes } from '../../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { takeBytes } from '../../../packages/ethereum/primitives/shared-bytes.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from '../../../packages/ethereum/primitives/webassembly.ts';
import { asBuffer, type Call, type Envelope } from '../../rpc/envelope.ts';
import { FastPathCall, type TextSpan } from './plain-call.ts';
import { FAST_PATH_CALLS_MODULE } from './plain-calls-module.ts';

type Module = {
  readonly memory: WebAssemblyMemory;
  readCalls(length: number, maxItems: number): number;
  bytesEnd(): number;
};

/** Memory layout of the WebAssembly module. These values must equal the values in `assembly/read-calls.ts`. */
const TEXT = 4096;
const MAX_TEXT: number = 64 << 10;
const TABLE: number = TEXT + MAX_TEXT + 64;
const ENTRY_SIZE = 64;
const MAX_ENTRIES = 656;
const BYTES: number = TABLE + MAX_ENTRIES * ENTRY_SIZE;
/** Offsets of an entry's fields, in words of four bytes. */
const [ITEM_START, ITEM_END, ID_START, ID_END, ID_NUMBER, FROM, TO, DATA, DATA_LENGTH, ZEROS] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
] as const;
const [BLOCK, GAS, CALL_START, CALL_END] = [10, 12, 14, 15] as const;
const NO_NUMBER = 0xffff_ffff;
/** Minimum length of a fast-path request, bytes. */
const MIN_TEXT = 100;
const SINGLE = -1;
/** Lengths of the members of a call object, including their values. The length of the member `data` excludes its hex digits. */
const [FROM_TEXT, TO_TEXT, DATA_TEXT] = [
  `"from":"0x${'0'.repeat(40)}"`,
  `"to":"0x${'0'.repeat(40)}"`,
  '"data":"0x"',
].map(({ length }) => length) as [number, number, number];

/** Instance of the WebAssembly module. The memory of the module contains one body at a time. */
class PlainReader {
  readonly #module: Module;
  readonly #space: Uint8Array;
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;

  constructor() {
    const instance = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(decodeBase64(FAST_PATH_CALLS_MODULE)));
    this.#module = instance.exports as Module;
    const { buffer } = this.#module.memory;
    this.#space = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#numbers = new Float64Array(buffer);
  }

  read(body: Buffer, maxItems: number): Envelope | undefined {
    this.#space.set(body, TEXT);
    const count = this.#module.readCalls(body.length, Math.min(maxItems, MAX_ENTRIES));
    if (count === 0) return undefined;
    const end = this.#module.bytesEnd();
    const { bytes, start } = takeBytes(end);
    bytes.set(this.#space.subarray(BYTES, BYTES + end), start);
    if (count === SINGLE) return this.#readEntry(TABLE, bytes, start, body, undefined);
    const items: Call[] = new Array(count);
    let following: CallBytes | undefined;
    for (let i = count - 1, entry = TABLE + i * ENTRY_SIZE; i >= 0; i--, entry -= ENTRY_SIZE) {
      const item = this.#readEntry(entry, bytes, start, body, following);
      items[i] = item;
      following = item.plain;
    }
    return { kind: 'batch', items };
  }

  /** @param base offset in `bytes` of the first byte that the WebAssembly module decoded */
  #readEntry(
    entry: number,
    bytes: Uint8Array,
    base: number,
    body: Buffer,
    following: CallBytes | undefined,
  ): FastPathCall {
    const at = entry >>> 2;
    const plain: CallBytes = {
      bytes,
      from: base + this.#word(at + FROM),
      to: base + this.#word(at + TO),
      data: base + this.#word(at + DATA),
      dataLength: this.#word(at + DATA_LENGTH),
      zeros: this.#word(at + ZEROS),
      gas: this.#numbers[(at + GAS) >>> 1] as number,
      block: this.#numbers[(at + BLOCK) >>> 1] as number,
      following,
    };
    const id = this.#readId(at, body);
    const item = { body, start: this.#word(at + ITEM_START), end: this.#word(at + ITEM_END) };
    return new FastPathCall(id, plain, item, this.#findCallText(at));
  }

  /**
   * Returns the range of the call object if its text has the canonical form for forwarding. The canonical form is sender, recipient and data in this
   * order, without whitespace or other members. The positions of the decoded bytes show the order of the members. Empty data has no bytes, so its
   * position is where the next member begins. With whitespace or other members, the total length of the object would be greater.
   */
  #findCallText(at: number): TextSpan | undefined {
    const start = this.#word(at + CALL_START);
    const end = this.#word(at + CALL_END);
    const from = this.#word(at + FROM);
    const to = this.#word(at + TO);
    const data = this.#word(at + DATA);
    if (from > to || (data !== 0 && data <= to)) return undefined;
    const length =
      '{}'.length +
      TO_TEXT +
      (from === 0 ? 0 : FROM_TEXT + 1) +
      (data === 0 ? 0 : DATA_TEXT + 1 + 2 * this.#word(at + DATA_LENGTH));
    return end - start === length ? { start, end } : undefined;
  }

  #readId(at: number, body: Buffer): JsonText {
    const number = this.#word(at + ID_NUMBER);
    if (number !== NO_NUMBER) return String(number);
    return body.toString('latin1', this.#word(at + ID_START), this.#word(at + ID_END));
  }

  #word(at: number): number {
    return this.#words[at] as number;
  }
}

/** The reader is created on first use, because not every process has a chain that takes calls as bytes. */
let reader: PlainReader | undefined;

/**
 * Parses a body that consists of fast-path calls only. The result equals that of `parseEnvelope`, except that the parameters are bytes. The calls
 * keep a reference to the body.
 * @param maxItems maximum items of a batch
 * @returns undefined for a body that contains anything else
 */
export function readFastPathCalls(body: Uint8Array, maxItems: number): Envelope | undefined {
  if (body.length > MAX_TEXT || body.length < MIN_TEXT) return undefined;
  reader ??= new PlainReader();
  return reader.read(asBuffer(body), maxItems);
}
