/** Generates the core's dispatch loop from the opcode table: AssemblyScript, one `switch` over all operations. */
import { OPCODES, type Opcode } from '../opcodes.ts';

const bodyOf = (name: string, other: string | undefined): string => other ?? name.toLowerCase();

const IMPORTS = `
import * as Op from './operations.ts';
import { INSTRUCTIONS, JUMPS, LENGTH } from '../codes.ts';
import { accountOfFrame, CALL, CALLCODE, DELEGATECALL, STATICCALL } from '../frames.ts';
import { callBody } from '../instructions/calls.ts';
import { createBody } from '../instructions/create.ts';
import { failBlock, finish, leave, refill } from '../control.ts';
import { log } from '../instructions/log.ts';
import { dupMload, dupMstore, keccakRange, mloadAt, mstoreAt, mstoreSmall } from '../instructions/memory.ts';
import { selfdestruct } from '../instructions/selfdestruct.ts';
import {
  code, gas as gasRegister, halt, ip as ipRegister, reserve, setDetails, setGasObserved, sp as spRegister, stackBase,
} from '../machine.ts';
import { DONE, INVALID_JUMP, INVALID_OPCODE, OUT_OF_GAS, REVERT, SUCCESS } from './status.ts';
import { addImmediate, addWords, subImmediate, subWords } from '../words/add.ts';
import { andWord, orWord, xorWord } from '../words/bitwise.ts';
import { isAbove, isBelow, isEqual, isLess, isNumber, isSignedLess } from '../words/compare.ts';
import { mulBySmall, mulWords } from '../words/multiply.ts';
import { copyWord, fitsU64, isZero, setU64, swapWords } from '../words/word.ts';
import { shlBy, shrBy } from '../words/shift.ts';
`;

/**
 * AssemblyScript that enters the basic block at `ip`. Every jump ends with the code in ENTER, because a jump always leads to the start of a basic
 * block.
 */
const ENTER = `
    const paid = gas - <i64>load<u32>(ip, 4);
    const bounds = load<u32>(ip, 8);
    const height = <u32>(sp - stackBase);
    if (paid < 0 || height < (bounds & 0xffff) || height > bounds >>> 16) { result = failBlock(ip, sp, gas); break; }
    gas = paid; ip += 16; continue;`;

/** AssemblyScript that compares two words, or a word and a number, by opcode. */
const COMPARISONS: Readonly<Record<string, (a: string, b: string) => string>> = {
  LT: (a, b) => `isLess(${a}, ${b})`,
  GT: (a, b) => `isLess(${b}, ${a})`,
  SLT: (a, b) => `isSignedLess(${a}, ${b})`,
  SGT: (a, b) => `isSignedLess(${b}, ${a})`,
  EQ: (a, b) => `isEqual(${a}, ${b})`,
};
const NUMBER_COMPARISONS: Readonly<Record<string, (a: string, b: string) => string>> = {
  LT: (a, b) => `isBelow(${a}, ${b})`,
  GT: (a, b) => `isAbove(${a}, ${b})`,
  EQ: (a, b) => `isNumber(${a}, ${b})`,
};
/** By comparison: the opcode that gives the same result with exchanged operands. */
const REVERSED: Readonly<Record<string, string>> = { LT: 'GT', GT: 'LT', EQ: 'EQ' };

const operand = (index: number): string => `load<u32>(ip, ${4 + 4 * index})`;

/**
 * Generates a conditional jump whose target is the last of `operands` operands. Bit 0 of the target inverts the condition. Both branches are written
 * out: with a conditional move, the following instructions would wait for the condition.
 */
function jumpWhere(condition: string, operands: number, pops: number): string {
  const target = operand(operands - 1);
  return `
    if (<u32>${condition} != (${target} & 1)) ip = ${target} & ~1;
    else ip += 16;
    ${moveStack(-pops)} ${ENTER}`;
}

const JUMPS: Record<string, string> = {};
for (const [name, compare] of Object.entries(COMPARISONS)) {
  JUMPS[`JUMP_${name}`] = jumpWhere(compare('sp', 'sp - 32'), 1, 2);
  JUMPS[`DUP_JUMP_${name}`] = jumpWhere(compare(`sp - ${operand(0)}`, 'sp'), 2, 1);
}
for (const name of ['LT', 'GT']) {
  const compareNumber = NUMBER_COMPARISONS[name] as (a: string, b: string) => string;
  const compare = COMPARISONS[name] as (a: string, b: string) => string;
  JUMPS[`DUP_DUP_JUMP_${name}`] = jumpWhere(compare(`sp + 32 - ${operand(1)}`, `sp - ${operand(0)}`), 3, 0);
  JUMPS[`SMALL_DUP_JUMP_${name}`] = jumpWhere(compareNumber(`sp + 32 - ${operand(1)}`, operand(0)), 3, 0);
}
for (const name of Object.keys(NUMBER_COMPARISONS)) {
  const reversed = NUMBER_COMPARISONS[REVERSED[name] as string] as (a: string, b: string) => string;
  JUMPS[`SMALL_JUMP_${name}`] = jumpWhere(reversed('sp', operand(0)), 2, 1);
  JUMPS[`DUP_SMALL_JUMP_${name}`] = jumpWhere(reversed(`sp - ${operand(0)}`, operand(1)), 3, 0);
}

/** AssemblyScript of the operations that decoding emits for sequences, jumps and constants. */
const OPERATIONS: Readonly<Record<string, string>> = {
  BLOCK: ENTER,
  EXHAUST: 'result = halt(OUT_OF_GAS); break;',
  PUSH_SMALL: 'sp += 32; setU64(sp, <u64>load<u32>(ip, 4)); ip += 16; continue;',
  PUSH_LONG: 'sp += 32; setU64(sp, load<u64>(ip, 4)); ip += 16; continue;',
  PUSH_WORD: 'sp += 32; copyWord(sp, ip + 16); ip += 48; continue;',
  DUP: 'copyWord(sp + 32, sp - load<u32>(ip, 4)); sp += 32; ip += 16; continue;',
  SWAP: 'swapWords(sp, sp - load<u32>(ip, 4)); ip += 16; continue;',
  DUP_DUP: `
    copyWord(sp + 32, sp - load<u32>(ip, 4));
    copyWord(sp + 64, sp + 32 - load<u32>(ip, 8));
    sp += 64; ip += 16; continue;`,
  SWAP_POP: 'copyWord(sp - load<u32>(ip, 4), sp); sp -= 32; ip += 16; continue;',
  ADD_SMALL: 'addImmediate(sp, load<u32>(ip, 4)); ip += 16; continue;',
  DUP_ADD: 'addWords(sp, sp, sp - load<u32>(ip, 4)); ip += 16; continue;',
  DUP_SUB: 'subWords(sp, sp - load<u32>(ip, 4), sp); ip += 16; continue;',
  DUP_MUL: 'mulWords(sp, sp - load<u32>(ip, 4), sp); ip += 16; continue;',
  DUP_AND: 'andWord(sp, sp, sp - load<u32>(ip, 4)); ip += 16; continue;',
  DUP_OR: 'orWord(sp, sp, sp - load<u32>(ip, 4)); ip += 16; continue;',
  DUP_XOR: 'xorWord(sp, sp, sp - load<u32>(ip, 4)); ip += 16; continue;',
  DUP_DUP_ADD: `
    addWords(sp + 32, sp + 32 - load<u32>(ip, 8), sp - load<u32>(ip, 4));
    sp += 32; ip += 16; continue;`,
  DUP_DUP_SUB: `
    subWords(sp + 32, sp + 32 - load<u32>(ip, 8), sp - load<u32>(ip, 4));
    sp += 32; ip += 16; continue;`,
  SMALL_DUP_ADD: `
    sp += 32; copyWord(sp, sp - load<u32>(ip, 8));
    addImmediate(sp, load<u32>(ip, 4)); ip += 16; continue;`,
  MUL_SMALL: 'mulBySmall(sp, load<u32>(ip, 4)); ip += 16; continue;',
  SWAP_SUB: 'subWords(sp - 32, sp - 32, sp); sp -= 32; ip += 16; continue;',
  SUB_SMALL: 'subImmediate(sp, load<u32>(ip, 4)); ip += 16; continue;',
  SMALL_DUP_MSTORE: `
    result = mstoreSmall(load<u32>(ip, 4), sp + 32 - load<u32>(ip, 8), gas);
    if (result < 0) break;
    gas = result; ip += 16; continue;`,
  DUP_MSTORE_AT: `
    result = mstoreAt(sp - load<u32>(ip, 4), load<u32>(ip, 8), gas);
    if (result < 0) break;
    gas = result; ip += 16; continue;`,
  DUP_SHR_SMALL: 'shrBy(sp + 32, sp - load<u32>(ip, 4), load<u32>(ip, 8)); sp += 32; ip += 16; continue;',
  DUP_MSTORE: `
    result = dupMstore(sp, sp - load<u32>(ip, 4), gas);
    if (result < 0) break;
    gas = result; sp -= 32; ip += 16; continue;`,
  DUP_ADD_SMALL: `
    copyWord(sp + 32, sp - load<u32>(ip, 4)); sp += 32;
    addImmediate(sp, load<u32>(ip, 8)); ip += 16; continue;`,
  AND_SMALL: 'setU64(sp, load<u64>(sp) & <u64>load<u32>(ip, 4)); ip += 16; continue;',
  AND_WORD: 'andWord(sp, sp, ip + 16); ip += 48; continue;',
  SHL_SMALL: 'shlBy(sp, sp, load<u32>(ip, 4)); ip += 16; continue;',
  SHR_SMALL: 'shrBy(sp, sp, load<u32>(ip, 4)); ip += 16; continue;',
  DUP_MLOAD: `
    result = dupMload(sp + 32, sp - load<u32>(ip, 4), gas);
    if (result < 0) break;
    gas = result; sp += 32; ip += 16; continue;`,
  MLOAD_AT: `
    result = mloadAt(sp + 32, load<u32>(ip, 4), gas);
    if (result < 0) break;
    gas = result; sp += 32; ip += 16; continue;`,
  MSTORE_AT: `
    result = mstoreAt(sp, load<u32>(ip, 4), gas);
    if (result < 0) break;
    gas = result; sp -= 32; ip += 16; continue;`,
  KECCAK256_AT: `
    setU64(sp + 32, <u64>load<u32>(ip, 4));
    result = keccak(sp + 32, gas);
    if (result < 0) break;
    gas = result; ip += 16; continue;`,
  KECCAK256_RANGE: `
    result = keccakRange(sp + 32, load<u32>(ip, 8), load<u32>(ip, 4), gas);
    if (result < 0) break;
    gas = result; sp += 32; ip += 16; continue;`,
  JUMP_TO: `ip = load<u32>(ip, 4); ${ENTER}`,
  JUMP_IF: `ip = isZero(sp) ? ip + 16 : <usize>load<u32>(ip, 4); sp -= 32; ${ENTER}`,
  JUMP_UNLESS: `ip = isZero(sp) ? <usize>load<u32>(ip, 4) : ip + 16; sp -= 32; ${ENTER}`,
  DUP_JUMP_IF: `ip = isZero(sp - load<u32>(ip, 4)) ? ip + 16 : <usize>load<u32>(ip, 8); ${ENTER}`,
  DUP_JUMP_UNLESS: `ip = isZero(sp - load<u32>(ip, 4)) ? <usize>load<u32>(ip, 8) : ip + 16; ${ENTER}`,
  ADD_SWAP_POP: 'addWords(sp - 32 - load<u32>(ip, 4), sp, sp - 32); sp -= 64; ip += 16; continue;',
  DUP_ADD_SWAP_POP:
    'addWords(sp - load<u32>(ip, 8), sp, sp - load<u32>(ip, 4)); sp -= 32; ip += 16; continue;',
  OR_SWAP_POP: 'orWord(sp - 32 - load<u32>(ip, 4), sp, sp - 32); sp -= 64; ip += 16; continue;',
  DUP_OR_SWAP_POP: 'orWord(sp - load<u32>(ip, 8), sp, sp - load<u32>(ip, 4)); sp -= 32; ip += 16; continue;',
  XOR_SWAP_POP: 'xorWord(sp - 32 - load<u32>(ip, 4), sp, sp - 32); sp -= 64; ip += 16; continue;',
  DUP_XOR_SWAP_POP:
    'xorWord(sp - load<u32>(ip, 8), sp, sp - load<u32>(ip, 4)); sp -= 32; ip += 16; continue;',
  ADD_SMALL_JUMP_TO: `addImmediate(sp, load<u32>(ip, 4)); ip = load<u32>(ip, 8); ${ENTER}`,
  SMALL_SWAP: `
    const other = sp + 32 - load<u32>(ip, 8);
    copyWord(sp + 32, other); setU64(other, <u64>load<u32>(ip, 4));
    sp += 32; ip += 16; continue;`,
  SWAP_SWAP: `
    swapWords(sp, sp - load<u32>(ip, 4)); swapWords(sp, sp - load<u32>(ip, 8)); ip += 16; continue;`,
  POP_POP: 'sp -= 64; ip += 16; continue;',
  SWAP_POP_POP: 'copyWord(sp - load<u32>(ip, 4), sp); sp -= 64; ip += 16; continue;',
  ...JUMPS,
};

function moveStack(words: number): string {
  if (words === 0) return '';
  return words > 0 ? `sp += ${words * 32};` : `sp -= ${-words * 32};`;
}

function caseOf({ name, execution, inputs, outputs }: Opcode): string | undefined {
  if (execution.form === 'decoded') return undefined;
  if (execution.form === 'control') return execution.text.replaceAll('ENTER', ENTER);
  const body = bodyOf(name, execution.function);
  const move = moveStack(outputs - inputs);
  if (execution.form === 'word') return `${body}(sp); ${move} ip += 16; continue;`;
  if (execution.form === 'push') return `sp += 32; ${body}(sp); ip += 16; continue;`;
  return `result = ${body}(sp, gas); if (result < 0) break; gas = result; ${move} ip += 16; continue;`;
}

/** Generates the imports of the instructions' functions, by module. */
function writeImports(): string {
  const names = new Map<string, string[]>();
  for (const { name, execution } of OPCODES) {
    if (!('module' in execution)) continue;
    const { module, function: other } = execution;
    names.set(module, [...(names.get(module) ?? []), bodyOf(name, other)]);
  }
  return [...names]
    .map(([module, list]) => `import { ${list.join(', ')} } from '../${module}.ts';\n`)
    .join('');
}

/** Generates an AssemblyScript module with the function `interpret`. */
export function generateDispatch(): string {
  const instructions = OPCODES.flatMap((opcode): [string, string][] => {
    const text = caseOf(opcode);
    return text === undefined ? [] : [[opcode.name, text]];
  });
  const cases = [...instructions, ...Object.entries(OPERATIONS)].map(
    ([name, body]) => `      case Op.${name}: { ${body} }\n`,
  );
  return `${IMPORTS}${writeImports()}
/** Runs until the message is done, the slice is used, or something is missing; returns the reason. */
export function interpret(slice: i64): i32 {
  if (!refill(slice)) return DONE;
  let ip = ipRegister;
  let sp = spRegister;
  let gas = gasRegister;
  let result: i64 = 0;
  while (true) {
    switch (<u32>load<u16>(ip)) {
${cases.join('')}      default: unreachable();
    }
    // V8 puts what is from here on in front of the loop's beginning, aligned to 64 bytes: with more than two registers to be read from
    // globals the jump to the next operation is in two cache lines, which makes every operation slower.
    gas = leave(result, ip, sp, gas);
    if (gas < 0) return <i32>~gas;
    ip = ipRegister;
    sp = spRegister;
  }
}
`;
}
