/** How messages end, as numbers of the core (core/status) and in geth's words (core/vm/errors.go). */
import { OPCODES } from './opcode-table.ts';

/** Why a run of the core returns. */
export const RUN = {
  done: 0,
  sliceUsed: 1,
  needsAccount: 2,
  needsSlot: 3,
  needsCode: 4,
  needsBlockHash: 5,
  needsPrecompile: 6,
} as const;

export const STATUS = { success: 0, revert: 1, outOfGas: 2, precompileFailed: 17, memoryLimit: 18 } as const;

const STACK_LIMIT = 1024;

/** Texts by status number; the others depend on details. */
const REASONS: Readonly<Record<number, string>> = {
  [STATUS.outOfGas]: 'out of gas',
  6: 'invalid jump destination',
  7: 'write protection',
  8: 'return data out of bounds',
  9: 'contract creation code storage out of gas',
  10: 'max code size exceeded',
  11: 'max initcode size exceeded',
  12: 'invalid code: must not begin with 0xef',
  13: 'contract address collision',
  14: 'insufficient balance for transfer',
  15: 'max call depth exceeded',
  16: 'nonce uint64 overflow',
  [STATUS.precompileFailed]: 'precompile failed',
  [STATUS.memoryLimit]: 'out of gas: memory limit of this service exceeded',
  19: 'gas uint64 overflow',
};
const STACK_UNDERFLOW = 3;
const STACK_OVERFLOW = 4;
const INVALID_OPCODE = 5;

const NAMES: ReadonlyMap<number, string> = new Map(OPCODES.map(({ code, name }) => [code, name]));

/**
 * Why a message halted.
 * @param a, b the status's details: stack height and the instruction's inputs, or the opcode
 */
export function describeHalt(status: number, a: number, b: number): string {
  if (status === STACK_UNDERFLOW) return `stack underflow (${a} <=> ${b})`;
  if (status === STACK_OVERFLOW) return `stack limit reached ${a} (${STACK_LIMIT - 1})`;
  if (status === INVALID_OPCODE) {
    return a === 0xfe
      ? `invalid opcode: ${NAMES.get(a)}`
      : `invalid opcode: opcode 0x${a.toString(16)} not defined`;
  }
  return REASONS[status] ?? 'execution failed';
}
