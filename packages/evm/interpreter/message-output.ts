import { type HexData, hexDataOf } from '../../ethereum/primitives/hex-data.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import { WHOLE_SLICE } from './slice.ts';

/** Bytes copied per step; a step takes 0.3 ms. */
const PIECE: number = 512 << 10;

/** Output of a finished message. A large output is copied from the core's memory in steps. */
export class MessageOutput {
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  /** Copy of a large output; the first `#copied` bytes are valid. */
  #copy: Uint8Array | undefined;
  #copied = 0;

  constructor(core: CoreExports, memory: CoreMemory) {
    this.#core = core;
    this.#memory = memory;
  }

  /** Discards the copy. Call `reset` before a message begins, and when a message is abandoned. */
  reset(): void {
    this.#copy = undefined;
  }

  get isLarge(): boolean {
    return this.#core.returnDataSize() > PIECE;
  }

  /** Whether `copyOn` was called for this message's large output. */
  get isBeingCopied(): boolean {
    return this.#copy !== undefined;
  }

  /** Copies one step of a large output, or all of it if `slice` is `WHOLE_SLICE`. @returns whether nothing is left to copy */
  copyOn(slice: bigint): boolean {
    if (!this.isLarge) return true;
    if (this.#copy === undefined) {
      this.#copy = new Uint8Array(this.#core.returnDataSize());
      this.#copied = 0;
    }
    const { length } = this.#copy;
    const end = slice === WHOLE_SLICE ? length : Math.min(length, this.#copied + PIECE);
    const pointer = this.#core.outputPointer();
    this.#copy.set(this.#memory.bytes.subarray(pointer + this.#copied, pointer + end), this.#copied);
    this.#copied = end;
    return end === length;
  }

  get bytes(): Uint8Array {
    return this.#copy ?? this.#memory.slice(this.#core.outputPointer(), this.#core.returnDataSize());
  }

  /** Output as text when it is not large, otherwise as bytes. */
  get data(): HexData {
    if (this.#copy !== undefined) return this.#copy;
    return hexDataOf(this.#memory.bytes, this.#core.outputPointer(), this.#core.returnDataSize());
  }
}
