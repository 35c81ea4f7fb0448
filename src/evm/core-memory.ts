import type { CoreExports } from './core-module.ts';

const PAGE_BYTES = 65_536;
const LIMB_MASK = 0xffff_ffff_ffff_ffffn;

/** The core's linear memory: words are little-endian there, and big-endian bytes everywhere else. */
export class CoreMemory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #limbs: BigUint64Array;

  /** @param size bytes that memory shall have in all; it never grows again, so that these views stay */
  constructor(core: CoreExports, size: number) {
    const missing = Math.ceil((size - core.memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) core.memory.grow(missing);
    this.bytes = new Uint8Array(core.memory.buffer);
    this.view = new DataView(core.memory.buffer);
    this.#limbs = new BigUint64Array(core.memory.buffer);
  }

  /** Writes at most 32 big-endian bytes as a word. */
  writeWord(pointer: number, bytes: Uint8Array): void {
    const { length } = bytes;
    const target = this.bytes;
    let at = pointer;
    for (let i = length - 1; i >= 0; i--) target[at++] = bytes[i] as number;
    while (at < pointer + 32) target[at++] = 0;
  }

  writeInteger(pointer: number, value: bigint): void {
    if (value === 0n) {
      this.bytes.fill(0, pointer, pointer + 32);
      return;
    }
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

  /** The lower `length` bytes of a word, big-endian. */
  readWord(pointer: number, length = 32): Uint8Array {
    const word = new Uint8Array(length);
    const source = this.bytes;
    for (let i = 0; i < length; i++) word[length - 1 - i] = source[pointer + i] as number;
    return word;
  }

  /** The word without leading zeros. */
  readTrimmed(pointer: number): Uint8Array {
    let length = 32;
    while (length > 0 && this.bytes[pointer + length - 1] === 0) length--;
    return this.readWord(pointer, length);
  }

  /** A copy. */
  slice(pointer: number, length: number): Uint8Array {
    return this.bytes.slice(pointer, pointer + length);
  }
}
