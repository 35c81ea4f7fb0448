/** Numbers of the interpreter's operations: the instructions' own codes, and beyond them what decoding makes of sequences. */
import { OPCODES } from '../../src/evm/opcode-table.ts';

/** In the order of their numbers; JUMP_TO to JUMP_EQ must stay together (core/decode). */
const DECODED: readonly string[] = [
  'BLOCK',
  'EXHAUST',
  'PUSH_SMALL',
  'PUSH_WORD',
  'DUP',
  'SWAP',
  'DUP_DUP',
  'SWAP_POP',
  'ADD_SMALL',
  'DUP_ADD',
  'DUP_ADD_SMALL',
  'AND_SMALL',
  'AND_WORD',
  'SHL_SMALL',
  'SHR_SMALL',
  'DUP_MLOAD',
  'MLOAD_AT',
  'MSTORE_AT',
  'JUMP_TO',
  'JUMP_IF',
  'JUMP_UNLESS',
  'JUMP_LT',
  'JUMP_GT',
  'JUMP_SLT',
  'JUMP_SGT',
  'JUMP_EQ',
];
const FIRST_DECODED = 0x100;

/** Operations by name. */
export const OPERATIONS: ReadonlyMap<string, number> = new Map([
  ...OPCODES.map(({ name, code }) => [name, code] as const),
  ...DECODED.map((name, i) => [name, FIRST_DECODED + i] as const),
]);

/** An AssemblyScript module of constants. */
export function generateOperations(): string {
  return [...OPERATIONS].map(([name, code]) => `export const ${name}: u32 = ${code};\n`).join('');
}
