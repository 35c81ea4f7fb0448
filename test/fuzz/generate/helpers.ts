/** Small fixed contracts for programs to call; each does one thing that its input selects. */
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';

const at = (low: bigint): bigint => (0x4e17n << 144n) | low;

/**
 * Stores word 1 of its input in the slot of word 0; word 2 selects the end: 0 stops, 1 reverts, any other value
 * halts. Called by DELEGATECALL it works on the caller's storage.
 */
export const STORER: bigint = at(1n);
/** Self-destructs in favour of word 0 of its input. */
export const DESTROYER: bigint = at(2n);
/** Sends word 1 of its input to the address of word 0 with all its gas, then ends like `STORER`, by word 2. */
export const PAYER: bigint = at(3n);
/** Creates a contract from the input after the first two words, with the value of word 0; word 1 selects the end. */
export const CREATOR: bigint = at(4n);
/** Code that only uses up all its gas. */
export const BURNER: bigint = at(5n);

/** `JUMPI` past an end: a word of 0 at `offset` stops, 1 reverts, others halt. */
const ending = (offset: string, position: number): string => {
  const revert = position + 8;
  const halt = revert + 10;
  const hex = (value: number): string => value.toString(16).padStart(2, '0');
  // CALLDATALOAD(offset) DUP1 PUSH1 revert JUMPI STOP | JUMPDEST PUSH1 1 XOR PUSH1 halt JUMPI PUSH0 PUSH0 REVERT | JUMPDEST INVALID
  return `60${offset}358060${hex(revert)}57005b60011860${hex(halt)}575f5ffd5bfe`;
};

const HELPERS: readonly (readonly [address: bigint, code: string])[] = [
  // SSTORE(slot, value), then the end.
  [STORER, `0x6020355f3555${ending('40', 6)}`],
  [DESTROYER, '0x5f35ff'],
  // CALL(GAS, to, value, 0, 0, 0, 0) POP, then the end.
  [PAYER, `0x5f5f5f5f6020355f355af150${ending('40', 12)}`],
  // CALLDATACOPY(0, 64, CALLDATASIZE - 64) CREATE(value, 0, CALLDATASIZE - 64) POP, then the end.
  [CREATOR, `0x604036038060405f375f5f35f050${ending('20', 14)}`],
  [BURNER, '0x5b5f56'],
];

export const HELPER_CODES: ReadonlyMap<bigint, Uint8Array> = new Map(
  HELPERS.map(([address, code]) => [address, hexToBytes(code)]),
);
