import type { Steps } from './steps.ts';

/** A precompiled contract. */
export type Precompile = {
  readonly name: string;
  /** Gas for this input, at most `UNAFFORDABLE`. */
  readonly gas: (input: Uint8Array) => number;
  /** @returns undefined on failure, which consumes all gas of the call */
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
  /**
   * Runs in steps; absent when no input takes long. The input stays unchanged until the last step. Any precompile, including this one, may run
   * between two steps.
   */
  readonly steps?: (input: Uint8Array) => Steps<Uint8Array | undefined>;
  /**
   * Returns geth's error text for an input that failed; absent when no input fails. `explain` takes about as long as `run` does on the same input.
   */
  readonly explain?: (input: Uint8Array) => Steps<string> | string;
};

/** Gas of every input that costs more than a JavaScript number can represent exactly. No block has so much gas. */
export const UNAFFORDABLE: number = Number.MAX_SAFE_INTEGER;

/** Returns a price function: `base` plus `perWord` per started word of input. */
export function priceByWord(base: number, perWord: number): (input: Uint8Array) => number {
  return (input) => base + perWord * Math.ceil(input.length / 32);
}

/** Returns `length` bytes from `start`, zero-padded past the end of `input`. */
export function readPadded(input: Uint8Array, start: number, length: number): Uint8Array {
  const end = start + length;
  if (end <= input.length) return input.subarray(start, end);
  const padded = new Uint8Array(length);
  if (start < input.length) padded.set(input.subarray(start));
  return padded;
}

/** Encodes a boolean as a word. */
export function encodeBoolean(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}
