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
/** EIP-170 and EIP-3860, bytes. */
const MAX_CODE_LENGTH = 24_576;
export const MAX_INIT_CODE_LENGTH = 49_152;

/** Texts by status number; the others depend on details. */
const REASONS: Readonly<Record<number, string>> = {
  [STATUS.outOfGas]: 'out of gas',
  6: 'invalid jump destination',
  7: 'write protection',
  8: 'return data out of bounds',
  9: 'contract creation code storage out of gas',
  12: 'invalid code: must not begin with 0xef',
  13: 'contract address collision',
  14: 'insufficient balance for transfer',
  15: 'max call depth exceeded',
  16: 'nonce uint64 overflow',
  [STATUS.precompileFailed]: 'precompile failed',
  [STATUS.memoryLimit]: 'out of gas: memory limit of this service exceeded',
  19: 'gas uint64 overflow',
  20: 'out of gas: gas uint64 overflow',
  21: 'out of gas: out of gas',
  22: 'out of gas: not enough gas for reentrancy sentry',
};
const STACK_UNDERFLOW = 3;
const STACK_OVERFLOW = 4;
const INVALID_OPCODE = 5;
const MAX_CODE_SIZE = 10;
const MAX_INIT_CODE_SIZE = 11;

/** Instructions of forks to come that geth's texts name already (core/vm/opcodes.go). */
const FUTURE_NAMES: readonly (readonly [number, string])[] = [
  [0x4b, 'SLOTNUM'],
  [0xd0, 'DATALOAD'],
  [0xd1, 'DATALOADN'],
  [0xd2, 'DATASIZE'],
  [0xd3, 'DATACOPY'],
  [0xe0, 'RJUMP'],
  [0xe1, 'RJUMPI'],
  [0xe2, 'RJUMPV'],
  [0xe3, 'CALLF'],
  [0xe4, 'RETF'],
  [0xe5, 'JUMPF'],
  [0xe6, 'DUPN'],
  [0xe7, 'SWAPN'],
  [0xe8, 'EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf7, 'RETURNDATALOAD'],
  [0xf8, 'EXTCALL'],
  [0xf9, 'EXTDELEGATECALL'],
  [0xfb, 'EXTSTATICCALL'],
];
const NAMES: ReadonlyMap<number, string> = new Map([
  ...FUTURE_NAMES,
  ...OPCODES.map(({ code, name }): [number, string] => [code, name]),
]);

/** Whether more gas could have helped: geth's texts for that begin alike. */
export function isOutOfGas(reason: string): boolean {
  if (reason === REASONS[STATUS.memoryLimit]) return false;
  return reason === REASONS[STATUS.outOfGas] || reason.startsWith(`${REASONS[STATUS.outOfGas]}: `);
}

/**
 * Why a message halted.
 * @param a, b the status's details: stack height and the instruction's inputs, the opcode, or a size
 */
export function describeHalt(status: number, a: number, b: number): string {
  if (status === STACK_UNDERFLOW) return `stack underflow (${a} <=> ${b})`;
  if (status === STACK_OVERFLOW) return `stack limit reached ${a} (${STACK_LIMIT - 1})`;
  if (status === INVALID_OPCODE) {
    return `invalid opcode: ${NAMES.get(a) ?? `opcode 0x${a.toString(16)} not defined`}`;
  }
  if (status === MAX_CODE_SIZE) return `max code size exceeded: code size ${a} limit ${MAX_CODE_LENGTH}`;
  if (status === MAX_INIT_CODE_SIZE) {
    return `out of gas: max initcode size exceeded: code size ${a} limit ${MAX_INIT_CODE_LENGTH}`;
  }
  return REASONS[status] ?? 'execution failed';
}
