import type { Blake2bBlock } from '../../evm/precompiles/cryptography.ts';
import type { Steps } from '../../evm/precompiles/steps.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from '../../primitives/webassembly.ts';
import {
  encodeBlake2bModule,
  MESSAGE,
  OFFSET,
  ROW_BYTES,
  SCHEDULE,
  SCHEDULE_END,
  STATE,
  TABLES,
  TABLES_ADDRESS,
  VECTOR,
  VECTOR_BYTES,
} from './blake2b-module.ts';

const STATE_BYTES = 64;
const SCHEDULE_ROWS: number = (SCHEDULE_END - SCHEDULE) / ROW_BYTES;
/** Rounds of a piece, 0.5 ms. */
const PIECE_ROUNDS = 32_768;

type Blake2bExports = {
  readonly memory: WebAssemblyMemory;
  readonly start: (final: number) => void;
  readonly mix: (rounds: number, row: number) => void;
  readonly end: () => void;
};

/** BLAKE2b's compression in WebAssembly: about 15 ns a round. */
export class Blake2bCompression {
  readonly #exports: Blake2bExports;
  readonly #bytes: Uint8Array;

  constructor() {
    const instance = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(encodeBlake2bModule()));
    this.#exports = instance.exports as Blake2bExports;
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#bytes.set(TABLES, TABLES_ADDRESS);
  }

  compress(block: Blake2bBlock): Uint8Array {
    this.#start(block);
    this.#exports.mix(block.rounds, SCHEDULE);
    this.#exports.end();
    return this.#bytes.slice(STATE, STATE + STATE_BYTES);
  }

  *compressSteps(block: Blake2bBlock): Steps<Uint8Array> {
    const bytes = this.#bytes;
    this.#start(block);
    for (let done = 0; done < block.rounds; done += PIECE_ROUNDS) {
      const rounds = Math.min(PIECE_ROUNDS, block.rounds - done);
      this.#exports.mix(rounds, SCHEDULE + (done % SCHEDULE_ROWS) * ROW_BYTES);
      // Another block may be compressed meanwhile.
      const vector = bytes.slice(VECTOR, VECTOR + VECTOR_BYTES);
      yield;
      bytes.set(block.state, STATE);
      bytes.set(block.message, MESSAGE);
      bytes.set(vector, VECTOR);
    }
    this.#exports.end();
    return bytes.slice(STATE, STATE + STATE_BYTES);
  }

  #start({ state, message, offset, isFinal }: Blake2bBlock): void {
    const bytes = this.#bytes;
    bytes.set(state, STATE);
    bytes.set(message, MESSAGE);
    bytes.set(offset, OFFSET);
    this.#exports.start(isFinal ? -1 : 0);
  }
}
