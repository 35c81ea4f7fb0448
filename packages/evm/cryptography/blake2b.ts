import { decodeBase64 } from '../../ethereum/primitives/base64.ts';
import { WEB_ASSEMBLY, type WebAssemblyMemory } from '../../ethereum/primitives/webassembly.ts';
import type { Blake2bBlock } from '../interpreter/precompiles/cryptography.ts';
import type { Steps } from '../interpreter/precompiles/steps.ts';
import { BLAKE2B_MODULE } from './blake2b-module.ts';

const STATE_BYTES = 64;
const VECTOR_BYTES = 128;
/** Rounds per step; a step takes 0.5 ms. */
const PIECE_ROUNDS = 32_768;

/** WebAssembly global that contains an address in the module's memory. */
type Address = { readonly value: number };

type Blake2bExports = {
  readonly memory: WebAssemblyMemory;
  readonly STATE: Address;
  readonly MESSAGE: Address;
  readonly OFFSET: Address;
  readonly VECTOR: Address;
  readonly start: (isFinal: boolean) => void;
  readonly mix: (rounds: number, first: number) => void;
  readonly end: () => void;
};

/** BLAKE2b compression in WebAssembly, about 15 ns per round. */
export class Blake2bCompression {
  readonly #exports: Blake2bExports;
  readonly #bytes: Uint8Array;

  constructor() {
    const instance = new WEB_ASSEMBLY.Instance(new WEB_ASSEMBLY.Module(decodeBase64(BLAKE2B_MODULE)));
    this.#exports = instance.exports as Blake2bExports;
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
  }

  compress(block: Blake2bBlock): Uint8Array {
    this.#start(block);
    this.#exports.mix(block.rounds, 0);
    this.#exports.end();
    return this.#readState();
  }

  *compressSteps(block: Blake2bBlock): Steps<Uint8Array> {
    const bytes = this.#bytes;
    const vectorAt = this.#exports.VECTOR.value;
    this.#start(block);
    for (let done = 0; done < block.rounds; done += PIECE_ROUNDS) {
      const rounds = Math.min(PIECE_ROUNDS, block.rounds - done);
      this.#exports.mix(rounds, done);
      // During the pause, another compression may overwrite the memory of the module.
      const vector = bytes.slice(vectorAt, vectorAt + VECTOR_BYTES);
      yield;
      this.#write(block);
      bytes.set(vector, vectorAt);
    }
    this.#exports.end();
    return this.#readState();
  }

  #start(block: Blake2bBlock): void {
    this.#write(block);
    this.#exports.start(block.isFinal);
  }

  #write({ state, message, offset }: Blake2bBlock): void {
    const { STATE, MESSAGE, OFFSET } = this.#exports;
    this.#bytes.set(state, STATE.value);
    this.#bytes.set(message, MESSAGE.value);
    this.#bytes.set(offset, OFFSET.value);
  }

  #readState(): Uint8Array {
    const { value } = this.#exports.STATE;
    return this.#bytes.slice(value, value + STATE_BYTES);
  }
}
