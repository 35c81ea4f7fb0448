/**
 * Operations of the interpreter. The numbers up to 0xff are opcodes of instructions. Decoding emits operations with higher numbers for constants and
 * fused sequences.
 */
import { OPCODES, type Opcode } from '../opcodes.ts';

/** Operations that decoding emits for single instructions, with their number of 32-bit operands. */
const SINGLE: readonly (readonly [name: string, operands: number])[] = [
  ['BLOCK', 3],
  ['EXHAUST', 0],
  // PUSH_SMALL has a constant of up to 32 bits, and PUSH_LONG one of up to 64 bits. If a constant has more than 64 bits, its 32 bytes follow the
  // operation PUSH_WORD.
  ['PUSH_SMALL', 1],
  ['PUSH_LONG', 2],
  ['PUSH_WORD', 0],
  ['DUP', 1],
  ['SWAP', 1],
  // Jumps to constants. A conditional jump pops a word.
  ['JUMP_TO', 1],
  ['JUMP_IF', 1],
];
/** Number of 32-bit operands of operations that are opcodes; opcodes that are not listed have none. */
const OPERANDS: Readonly<Record<string, number>> = { INVALID: 2, GAS: 1, LOG0: 1, EXCHANGE: 2 };

/**
 * A fused operation that replaces two consecutive operations. The fused operation has the operands of the first operation, then the operands of the
 * second.
 */
export type Sequence = {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  /** The sequence is fused only if the first operation's constant is below this limit. */
  readonly limit?: number;
  /**
   * The sequence is fused only if the second operation's depth operand is not 0. If the depth is not 0, the second operation does not read the word
   * that the first operation pushes.
   */
  readonly isApart?: true;
  /** Fusing inverts the condition of the jump, so bit 0 of the jump target changes. */
  readonly isInverted?: true;
};

const sequence = (name: string, first: string, second: string, limit?: number): Sequence => ({
  name,
  first,
  second,
  ...(limit !== undefined && { limit }),
});

const sequenceApart = (name: string, first: string, second: string): Sequence => ({
  ...sequence(name, first, second),
  isApart: true,
});

const COMPARISONS = ['LT', 'GT', 'SLT', 'SGT', 'EQ'];
const MEMORY_OFFSETS = 0x10000;
const SHIFTS = 256;
/** Block size of Keccak-256, bytes: the amount hashed without a pause. */
const HASH_BLOCK = 136;

/** Operations that decoding fuses; a fused operation may be fused again. */
export const SEQUENCES: readonly Sequence[] = [
  sequenceApart('DUP_DUP', 'DUP', 'DUP'),
  sequence('SWAP_POP', 'SWAP', 'POP'),
  sequence('ADD_SMALL', 'PUSH_SMALL', 'ADD'),
  sequence('DUP_ADD', 'DUP', 'ADD'),
  sequence('DUP_ADD_SMALL', 'DUP', 'ADD_SMALL'),
  ...['SUB', 'MUL', 'AND', 'OR', 'XOR'].map((name) => sequence(`DUP_${name}`, 'DUP', name)),
  ...['ADD', 'SUB'].map((name) => sequence(`DUP_DUP_${name}`, 'DUP_DUP', name)),
  sequence('DUP_MSTORE', 'DUP', 'MSTORE'),
  sequenceApart('SMALL_DUP_MSTORE', 'PUSH_SMALL', 'DUP_MSTORE'),
  sequenceApart('SMALL_DUP_ADD', 'PUSH_SMALL', 'DUP_ADD'),
  sequence('MUL_SMALL', 'PUSH_SMALL', 'MUL'),
  // The limit 33 selects a SWAP with operand 32, which is SWAP1.
  sequence('SWAP_SUB', 'SWAP', 'SUB', 33),
  sequence('SUB_SMALL', 'PUSH_SMALL', 'SWAP_SUB'),
  sequence('AND_SMALL', 'PUSH_SMALL', 'AND'),
  sequence('AND_WORD', 'PUSH_WORD', 'AND'),
  sequence('SHL_SMALL', 'PUSH_SMALL', 'SHL', SHIFTS),
  sequence('SHR_SMALL', 'PUSH_SMALL', 'SHR', SHIFTS),
  sequence('DUP_MLOAD', 'DUP', 'MLOAD'),
  sequence('MLOAD_AT', 'PUSH_SMALL', 'MLOAD', MEMORY_OFFSETS),
  sequence('MSTORE_AT', 'PUSH_SMALL', 'MSTORE', MEMORY_OFFSETS),
  sequence('DUP_MSTORE_AT', 'DUP', 'MSTORE_AT'),
  sequence('KECCAK256_AT', 'PUSH_SMALL', 'KECCAK256', MEMORY_OFFSETS),
  sequence('KECCAK256_RANGE', 'PUSH_SMALL', 'KECCAK256_AT', HASH_BLOCK),
  sequence('DUP_SHR_SMALL', 'DUP', 'SHR_SMALL'),
  sequence('ADD_SMALL_JUMP_TO', 'ADD_SMALL', 'JUMP_TO'),
  sequence('SMALL_SWAP', 'PUSH_SMALL', 'SWAP'),
  sequence('SWAP_SWAP', 'SWAP', 'SWAP'),
  sequence('POP_POP', 'POP', 'POP'),
  sequence('SWAP_POP_POP', 'SWAP_POP', 'POP'),
  ...['ADD', 'OR', 'XOR'].map((name) => sequence(`${name}_SWAP_POP`, name, 'SWAP_POP')),
  ...['ADD', 'OR', 'XOR'].map((name) => sequence(`DUP_${name}_SWAP_POP`, `DUP_${name}`, 'SWAP_POP')),
  sequence('JUMP_UNLESS', 'ISZERO', 'JUMP_IF'),
  sequence('JUMP_IF', 'ISZERO', 'JUMP_UNLESS'),
  sequence('DUP_JUMP_IF', 'DUP', 'JUMP_IF'),
  sequence('DUP_JUMP_UNLESS', 'DUP', 'JUMP_UNLESS'),
  ...COMPARISONS.flatMap((name): Sequence[] => [
    sequence(`JUMP_${name}`, name, 'JUMP_IF'),
    { ...sequence(`JUMP_${name}`, name, 'JUMP_UNLESS'), isInverted: true },
    sequence(`DUP_JUMP_${name}`, 'DUP', `JUMP_${name}`),
  ]),
  ...['LT', 'GT'].flatMap((name) => [
    sequence(`DUP_DUP_JUMP_${name}`, 'DUP_DUP', `JUMP_${name}`),
    sequenceApart(`SMALL_DUP_JUMP_${name}`, 'PUSH_SMALL', `DUP_JUMP_${name}`),
  ]),
  ...['LT', 'GT', 'EQ'].flatMap((name) => [
    sequence(`SMALL_JUMP_${name}`, 'PUSH_SMALL', `JUMP_${name}`),
    sequence(`DUP_SMALL_JUMP_${name}`, 'DUP', `SMALL_JUMP_${name}`),
  ]),
];
const FIRST_DECODED = 0x100;

function listOperations(): ReadonlyMap<string, number> {
  const decoded = new Set([...SINGLE.map(([name]) => name), ...SEQUENCES.map(({ name }) => name)]);
  return new Map([
    ...OPCODES.map(({ name, code }) => [name, code] as const),
    ...[...decoded].map((name, i) => [name, FIRST_DECODED + i] as const),
  ]);
}

/** Operation numbers by name. */
export const OPERATIONS: ReadonlyMap<string, number> = listOperations();

/** Number of 32-bit operands by operation name. */
const SIZES = countOperands();

function countOperands(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([...SINGLE, ...Object.entries(OPERANDS)]);
  for (const { name, first, second } of SEQUENCES) {
    const count = (counts.get(first) ?? 0) + (counts.get(second) ?? 0);
    if (count > 3 || (counts.get(name) ?? count) !== count) throw new Error(`${name} has ${count} operands`);
    counts.set(name, count);
  }
  return counts;
}

/** Bits of an operation's property byte. The lowest two bits of the byte are the operation's number of operands. */
const HAS_TARGET = 4;
const HAS_CONSTANT = 8;
const IS_SECOND = 16;

function factsOf(name: string): number {
  return (
    (SIZES.get(name) ?? 0) |
    (/JUMP_/.test(name) ? HAS_TARGET : 0) |
    (name.endsWith('_WORD') ? HAS_CONSTANT : 0) |
    (SEQUENCES.some(({ second }) => second === name) ? IS_SECOND : 0)
  );
}

function listFacts(): readonly number[] {
  const facts = new Array<number>(FIRST_DECODED).fill(0);
  for (const [name, code] of OPERATIONS) facts[code] = factsOf(name);
  return facts;
}

/** Generates the `case` of a sequence's second operation, with a test for each first operation. */
function writeCase(second: string): string {
  const tests = SEQUENCES.filter((one) => one.second === second).map(
    ({ name, first, limit, isApart, isInverted }) => {
      const condition = `first == ${first}${limit === undefined ? '' : ` && constant < ${limit}`}${isApart ? ' && depth != 0' : ''}`;
      return `      if (${condition}) return ${name}${isInverted ? ' | INVERTED' : ''};\n`;
    },
  );
  return `    case ${second}:\n${tests.join('')}      break;\n`;
}

/** Generates `immediateSize`. Opcodes that follow each other, with immediate sizes that increase by one, share one generated test. */
function writeImmediateSize(): string {
  const ranges: { first: Opcode; last: Opcode }[] = [];
  for (const opcode of OPCODES.filter(({ immediate }) => immediate > 0)) {
    const range = ranges.at(-1);
    const isNext = range?.last.code === opcode.code - 1 && range.last.immediate === opcode.immediate - 1;
    if (range !== undefined && isNext) range.last = opcode;
    else ranges.push({ first: opcode, last: opcode });
  }
  const tests = ranges.map(
    ({ first, last }) =>
      `  if (opcode >= <u8>${first.name} && opcode <= <u8>${last.name}) return <u32>opcode - ${first.name} + ${first.immediate};\n`,
  );
  return `/** Bytes of code that belong to an instruction. */
@inline
export function immediateSize(opcode: u8): u32 {
${tests.join('')}  return 0;
}
`;
}

/** Generates an AssemblyScript module: constants, and the properties of operations that decoding reads. */
export function generateOperations(): string {
  const constants = [...OPERATIONS].map(([name, code]) => `export const ${name}: u32 = ${code};\n`).join('');
  const seconds = [...new Set(SEQUENCES.map(({ second }) => second))];
  return `${constants}
const FACTS: usize = memory.data<u8>([${listFacts().join(', ')}]);

${writeImmediateSize()}
/** Operands of 32 bits. */
@inline
export function countOperands(operation: u32): u32 { return load<u8>(FACTS + operation) & 3; }
/** Whether its last operand is where it jumps to. */
@inline
export function hasTarget(operation: u32): bool { return (load<u8>(FACTS + operation) & ${HAS_TARGET}) != 0; }
/** Whether a constant of 32 bytes is behind it. */
@inline
export function hasConstant(operation: u32): bool { return (load<u8>(FACTS + operation) & ${HAS_CONSTANT}) != 0; }
/** True if the instruction ends a sequence. */
@inline
export function isSecond(operation: u32): bool { return (load<u8>(FACTS + operation) & ${IS_SECOND}) != 0; }

/** There is no operation for a sequence. */
export const NONE: u32 = 0;
export const INVERTED: u32 = 1 << 31;

/** The operation for two in a row, \`constant\` and \`depth\` being their first operands. */
export function joinOperations(first: u32, second: u32, constant: u32, depth: u32): u32 {
  switch (second) {
${seconds.map(writeCase).join('')}  }
  return NONE;
}
`;
}
