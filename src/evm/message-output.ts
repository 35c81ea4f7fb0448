import { type HexData, hexDataOf } from '../primitives/hex-data.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import { WHOLE_SLICE } from './slice.ts';

/** Bytes that are copied in one piece: 0.3 ms. */
const PIECE: number = 512 << 10;

/** The output of a message that has ended. A large one is copied from the core's memory in pieces. */
export class MessageOutput {
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  /** Of a large one; the first `#copied` bytes are there. */
  #copy: Uint8Array | undefined;
  #copied = 0;

  constructor(core: CoreExports, memory: CoreMemory) {
    this.#core = core;
    this.#memory = memory;
  }

  /** Before a message begins, and when one is abandoned. */
  reset(): void {
    this.#copy = undefined;
  }

  get isLarge(): boolean {
    return this.#core.returnDataSize() > PIECE;
  }

  /** Whether `copyOn` has been called for this message's large output. */
  get isBeingCopied(): boolean {
    return this.#copy !== undefined;
  }

  /** Copies a piece of a large output, or all of it in a whole slice. @returns whether nothing is left to copy */
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

  /** As text where it is not large. */
  get data(): HexData {
    if (this.#copy !== undefined) return this.#copy;
    return hexDataOf(this.#memory.bytes, this.#core.outputPointer(), this.#core.returnDataSize());
  }
}
