/** Halt reasons with geth's texts (core/vm/errors.go). */
import { CORE_LIMITS, STATUS } from './core-interface.ts';
import { OPCODES } from './opcodes.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';

/** Texts by status number; the texts of the other statuses depend on details. */
const REASONS: Readonly<Record<number, string>> = {
  [STATUS.outOfGas]: 'out of gas',
  [STATUS.invalidJump]: 'invalid jump destination',
  [STATUS.writeProtection]: 'write protection',
  [STATUS.returnDataOutOfBounds]: 'return data out of bounds',
  [STATUS.codeStoreOutOfGas]: 'contract creation code storage out of gas',
  [STATUS.invalidCode]: 'invalid code: must not begin with 0xef',
  [STATUS.addressCollision]: 'contract address collision',
  [STATUS.insufficientBalance]: 'insufficient balance for transfer',
  [STATUS.callDepth]: 'max call depth exceeded',
  [STATUS.nonceOverflow]: 'nonce uint64 overflow',
  [STATUS.precompileFailed]: 'precompile failed',
  [STATUS.memoryLimit]: 'out of gas: memory limit of this service exceeded',
  [STATUS.gasOverflow]: 'gas uint64 overflow',
  [STATUS.priceOverflow]: 'out of gas: gas uint64 overflow',
  [STATUS.outOfCallGas]: 'out of gas: out of gas',
  [STATUS.reentrancySentry]: 'out of gas: not enough gas for reentrancy sentry',
};
/** Instructions of future forks that geth's texts already name (core/vm/opcodes.go). */
const FUTURE_NAMES: readonly (readonly [number, string])[] = [
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

/** Checks for geth's text `out of gas`, alone or with a detail after a colon. */
export function isOutOfGas(reason: string): boolean {
  if (reason === REASONS[STATUS.memoryLimit]) return false;
  return reason === REASONS[STATUS.outOfGas] || reason.startsWith(`${REASONS[STATUS.outOfGas]}: `);
}

/**
 * Returns the text of a halt reason.
 * @param a, b details of the status. For stack errors: the stack height, and the number of the instruction's inputs. For an invalid opcode: the
 * opcode, and its invalid operand plus 1. For sizes: the size, and the upper 32 bits of the size.
 */
export function describeHalt(
  status: number,
  a: number,
  b: number,
  { codeLimit, initCodeLimit }: Pick<RevisionRules, 'codeLimit' | 'initCodeLimit'>,
): string {
  if (status === STATUS.stackUnderflow) return `stack underflow (${a} <=> ${b})`;
  if (status === STATUS.stackOverflow) return `stack limit reached ${a} (${CORE_LIMITS.stackLimit - 1})`;
  if (status === STATUS.invalidOpcode) {
    const operand = b === 0 ? '' : ` (operand: 0x${(b - 1).toString(16).padStart(2, '0')})`;
    return `invalid opcode: ${NAMES.get(a) ?? `opcode 0x${a.toString(16)} not defined`}${operand}`;
  }
  if (status === STATUS.maxCodeSize) return `max code size exceeded: code size ${a} limit ${codeLimit}`;
  if (status === STATUS.maxInitCodeSize) {
    return `out of gas: max initcode size exceeded: code size ${(a >>> 0) + b * 2 ** 32} limit ${initCodeLimit}`;
  }
  return REASONS[status] ?? 'execution failed';
}
