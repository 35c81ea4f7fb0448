import type { Steps } from './steps.ts';

/** A contract that the protocol provides. */
export type Precompile = {
  readonly name: string;
  /** Gas for this input, at most `UNAFFORDABLE`. */
  readonly gas: (input: Uint8Array) => number;
  /** @returns undefined where it fails, which takes all the gas that the call was given */
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
  /**
   * The same in pieces, for inputs that take long; absent where none does. The input stays as it is meanwhile, and other
   * precompiles, this one too, may run between two pieces.
   */
  readonly steps?: (input: Uint8Array) => Steps<Uint8Array | undefined>;
  /** Why an input failed, in geth's words; absent where none fails. It takes about as long as `run`. */
  readonly explain?: (input: Uint8Array) => Steps<string> | string;
};

/** Stands for any gas beyond what a number holds exactly: no block has as much. */
export const UNAFFORDABLE: number = Number.MAX_SAFE_INTEGER;

/** Price of so much for a call and so much for each word of input, begun ones included. */
export function priceByWord(base: number, perWord: number): (input: Uint8Array) => number {
  return (input) => base + perWord * Math.ceil(input.length / 32);
}

/** `length` bytes from `start`, with zeros for those past the end of `input`. */
export function readPadded(input: Uint8Array, start: number, length: number): Uint8Array {
  const end = start + length;
  if (end <= input.length) return input.subarray(start, end);
  const padded = new Uint8Array(length);
  if (start < input.length) padded.set(input.subarray(start));
  return padded;
}

/** A truth value as a word. */
export function encodeBoolean(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}
