import type { CoreExports } from './core-module.ts';

const PAGE_BYTES = 65_536;
const FEW_BYTES = 128;
const LIMB_MASK = 0xffff_ffff_ffff_ffffn;

/** Reads the `count` bytes before `end`, at most four, as a big-endian integer. */
function readHalf(bytes: Uint8Array, end: number, count: number): number {
  let value = bytes[end - 1] as number;
  if (count > 1) value |= (bytes[end - 2] as number) << 8;
  if (count > 2) value |= (bytes[end - 3] as number) << 16;
  return count > 3 ? value | ((bytes[end - 4] as number) << 24) : value;
}

/** The core's linear memory. Words are little-endian in this memory, and big-endian bytes everywhere else. */
export class CoreMemory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #limbs: BigUint64Array;
  /** The memory as 32-bit integers, two per 64-bit limb. */
  readonly #halves: Uint32Array;

  /** @param size total memory size, bytes. The memory never grows after construction, so its views stay valid. */
  constructor(core: CoreExports, size: number) {
    const missing = Math.ceil((size - core.memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) core.memory.grow(missing);
    this.bytes = new Uint8Array(core.memory.buffer);
    this.view = new DataView(core.memory.buffer);
    this.#limbs = new BigUint64Array(core.memory.buffer);
    this.#halves = new Uint32Array(core.memory.buffer);
  }

  /** Writes up to 32 big-endian bytes, [from, to) of `bytes`, as a word. */
  writeWord(pointer: number, bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    const halves = this.#halves;
    const start = pointer >>> 2;
    let at = start;
    let end = to;
    for (; end - from >= 4; end -= 4) halves[at++] = readHalf(bytes, end, 4);
    if (end > from) halves[at++] = readHalf(bytes, end, end - from);
    while (at < start + 8) halves[at++] = 0;
  }

  /** Writes `length` bytes of `bytes`, starting at `from`. */
  writeBytes(pointer: number, bytes: Uint8Array, from: number, length: number): void {
    const target = this.bytes;
    // Creating a view takes longer than copying a few bytes.
    if (length > FEW_BYTES) target.set(bytes.subarray(from, from + length), pointer);
    else for (let i = 0; i < length; i++) target[pointer + i] = bytes[from + i] as number;
  }

  writeInteger(pointer: number, value: bigint): void {
    const limb = pointer >>> 3;
    const limbs = this.#limbs;
    if (value <= LIMB_MASK) {
      limbs[limb] = value;
      limbs[limb + 1] = 0n;
      limbs[limb + 2] = 0n;
      limbs[limb + 3] = 0n;
      return;
    }
    limbs[limb] = value & LIMB_MASK;
    limbs[limb + 1] = (value >> 64n) & LIMB_MASK;
    limbs[limb + 2] = (value >> 128n) & LIMB_MASK;
    limbs[limb + 3] = value >> 192n;
  }

  readInteger(pointer: number): bigint {
    const limb = pointer >>> 3;
    const limbs = this.#limbs;
    const upper =
      ((limbs[limb + 3] as bigint) << 128n) |
      ((limbs[limb + 2] as bigint) << 64n) |
      (limbs[limb + 1] as bigint);
    const low = limbs[limb] as bigint;
    return upper === 0n ? low : (upper << 64n) | low;
  }

  /** Returns the lower `length` bytes of a word, big-endian. */
  readWord(pointer: number, length = 32): Uint8Array {
    const word = new Uint8Array(length);
    const source = this.bytes;
    for (let i = 0; i < length; i++) word[length - 1 - i] = source[pointer + i] as number;
    return word;
  }

  /** Returns a word without leading zeros. */
  readTrimmed(pointer: number): Uint8Array {
    let length = 32;
    while (length > 0 && this.bytes[pointer + length - 1] === 0) length--;
    return this.readWord(pointer, length);
  }

  /** Returns a copy of `length` bytes. */
  slice(pointer: number, length: number): Uint8Array {
    return this.bytes.slice(pointer, pointer + length);
  }
}
