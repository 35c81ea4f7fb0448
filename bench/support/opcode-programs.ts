/** A program for one instruction of the opcode table: the instruction many times, with the pushes and pops that it needs. */

import type { Opcode } from '../../packages/evm/interpreter/opcodes.ts';
import { type Revision, rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { assemble } from '../../scripts/assembler.ts';

export type OpcodeProgram = {
  readonly name: string;
  readonly code: Uint8Array;
};

/** Copies of the instruction in the loop, and iterations of the loop. */
const COPIES = 50;
const ROUNDS = 2_000;
/** Number of times that a program executes its instruction. */
export const OPCODE_COUNT: number = COPIES * ROUNDS;

/** Stack items that the deepest SWAP reaches. */
const STACK_DEPTH = 17;
/** Memory offset of the loop counter, out of reach of the instructions' stack and memory effects. */
const COUNTER = 0x2000;

/** Instructions that end the call, or create an account each time. */
const LEFT_OUT = 'STOP RETURN REVERT INVALID SELFDESTRUCT CREATE CREATE2'.split(' ');

const WIDE = [
  '0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95',
  '0x00000000000000d1342543de82ef95f39cc0605cedc8341082276bf3a27251f8',
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2',
] as const;
const TOPICS = [WIDE[0], WIDE[1], WIDE[2], WIDE[0]] as const;
const OTHER = '0x1000';
const CALL_GAS = 1_000;

/** Arguments, the top of the stack first, where wide words do not fit. */
const ARGUMENTS: Readonly<Record<string, readonly (string | number)[]>> = {
  EXP: [WIDE[0], 0xffff],
  SIGNEXTEND: [7, WIDE[0]],
  BYTE: [7, WIDE[0]],
  SHL: [77, WIDE[0]],
  SHR: [77, WIDE[0]],
  SAR: [77, WIDE[0]],
  KECCAK256: [0, 32],
  BALANCE: [OTHER],
  CALLDATALOAD: [0],
  CALLDATACOPY: [0, 0, 32],
  CODECOPY: [0, 0, 32],
  EXTCODESIZE: [OTHER],
  EXTCODECOPY: [OTHER, 0, 0, 32],
  EXTCODEHASH: [OTHER],
  RETURNDATACOPY: [0, 0, 0],
  BLOCKHASH: [0],
  BLOBHASH: [0],
  MLOAD: [64],
  MSTORE: [64, WIDE[0]],
  MSTORE8: [64, WIDE[0]],
  MCOPY: [64, 0, 32],
  SLOAD: [1],
  SSTORE: [1, WIDE[0]],
  TLOAD: [1],
  TSTORE: [1, WIDE[0]],
  LOG0: [0, 32],
  LOG1: [0, 32, ...TOPICS.slice(0, 1)],
  LOG2: [0, 32, ...TOPICS.slice(0, 2)],
  LOG3: [0, 32, ...TOPICS.slice(0, 3)],
  LOG4: [0, 32, ...TOPICS],
  CALL: [CALL_GAS, OTHER, 0, 0, 0, 0, 0],
  CALLCODE: [CALL_GAS, OTHER, 0, 0, 0, 0, 0],
  DELEGATECALL: [CALL_GAS, OTHER, 0, 0, 0, 0],
  STATICCALL: [CALL_GAS, OTHER, 0, 0, 0, 0],
};

function toHexByte(code: number): string {
  return `raw:0x${code.toString(16).padStart(2, '0')}`;
}

/** Returns the instruction between the pushes of its arguments and the pops of its results. */
function createStep({ name, code, inputs, outputs }: Opcode, label: string): string {
  const instruction = toHexByte(code);
  if (/^PUSH\d/.test(name)) return `${instruction} ${createPushData(code)} POP`;
  if (name.startsWith('DUP')) return `${instruction} POP`;
  if (name.startsWith('SWAP')) return instruction;
  if (name === 'JUMP') return `@${label} ${instruction} ${label}:`;
  if (name === 'JUMPI') return `1 @${label} ${instruction} ${label}:`;
  const provided = ARGUMENTS[name] ?? WIDE;
  return [...provided.slice(0, inputs).reverse(), instruction, ...Array(outputs).fill('POP')].join(' ');
}

function createPushData(code: number): string {
  const length = code - 0x5f;
  return length === 0 ? '' : `raw:0x${'a5'.repeat(length)}`;
}

function createProgram(opcode: Opcode): OpcodeProgram {
  const steps = Array.from({ length: COPIES }, (_, i) => createStep(opcode, `step${i}`));
  const code = assemble(`
    ${Array(STACK_DEPTH).fill('1').join(' ')}
    ${ROUNDS} ${COUNTER} MSTORE
    again:
    ${steps.join('\n')}
    1 ${COUNTER} MLOAD SUB DUP1 ${COUNTER} MSTORE @again JUMPI
    STOP
  `);
  return { name: opcode.name, code };
}

/** Creates programs for the instructions of a revision. */
export function createOpcodePrograms(revision: Revision): OpcodeProgram[] {
  return rulesOf(revision)
    .opcodes.map(({ opcode }) => opcode)
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map(createProgram);
}
