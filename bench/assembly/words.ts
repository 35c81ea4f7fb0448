/** Loops over each instruction body, dispatched as an interpreter dispatches it. */
import { keccak256 } from '../../packages/evm/interpreter/core/keccak.ts';
import { add, sub } from '../../packages/evm/interpreter/core/words/add.ts';
import { and, byteAt, clz, not, or, signextend, xor } from '../../packages/evm/interpreter/core/words/bitwise.ts';
import { eq, gt, iszero, lt, sgt, slt } from '../../packages/evm/interpreter/core/words/compare.ts';
import { div, mod } from '../../packages/evm/interpreter/core/words/divide.ts';
import { addmod, mulmod } from '../../packages/evm/interpreter/core/words/modular.ts';
import { mul } from '../../packages/evm/interpreter/core/words/multiply.ts';
import { exp } from '../../packages/evm/interpreter/core/words/power.ts';
import { sar, shl, shr } from '../../packages/evm/interpreter/core/words/shift.ts';
import { sdiv, smod } from '../../packages/evm/interpreter/core/words/signed-divide.ts';
import { copyWord } from '../../packages/evm/interpreter/core/words/word.ts';

const WORD: usize = 32;
/** Bytes of one operand set, four words whatever the instruction's arity. */
const SET: usize = 4 * WORD;
const OPERANDS: usize = memory.data(65536, 16);
const STACK: usize = memory.data(1024, 16);
const TOP: usize = STACK + 512;

/** Returns the address of the first operand set; a set starts with its first operand. */
export function scratch(): usize {
  return OPERANDS;
}

/** Runs instruction `index` of the list in bench/words.ts on `sets` operand sets, `rounds` times over all of them. */
export function repeat(index: u32, rounds: u32, sets: u32): void {
  for (; rounds > 0; rounds--) {
    for (let set = OPERANDS; set < OPERANDS + <usize>sets * SET; set += SET) {
      copyWord(TOP, set);
      copyWord(TOP - WORD, set + WORD);
      copyWord(TOP - 2 * WORD, set + 2 * WORD);
      execute(index);
    }
  }
}

/** Runs instruction `index` `rounds` times; each run's first operand is the previous result XORed with the first set's first operand. */
export function chain(index: u32, rounds: u32, arity: u32): void {
  const result = TOP - (<usize>arity - 1) * WORD;
  copyWord(TOP, OPERANDS);
  for (; rounds > 0; rounds--) {
    copyWord(TOP - WORD, OPERANDS + WORD);
    if (arity > 2) copyWord(TOP - 2 * WORD, OPERANDS + 2 * WORD);
    execute(index);
    mix(TOP, result, OPERANDS);
  }
}

@inline
function mix(destination: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(destination + i, load<u64>(a + i) ^ load<u64>(b + i));
}

@inline
function execute(index: u32): void {
  const sp = TOP;
  switch (index) {
    case 0:
      add(sp);
      break;
    case 1:
      mul(sp);
      break;
    case 2:
      sub(sp);
      break;
    case 3:
      div(sp);
      break;
    case 4:
      sdiv(sp);
      break;
    case 5:
      mod(sp);
      break;
    case 6:
      smod(sp);
      break;
    case 7:
      addmod(sp);
      break;
    case 8:
      mulmod(sp);
      break;
    case 9:
      exp(sp);
      break;
    case 10:
      signextend(sp);
      break;
    case 11:
      lt(sp);
      break;
    case 12:
      gt(sp);
      break;
    case 13:
      slt(sp);
      break;
    case 14:
      sgt(sp);
      break;
    case 15:
      eq(sp);
      break;
    case 16:
      iszero(sp);
      break;
    case 17:
      and(sp);
      break;
    case 18:
      or(sp);
      break;
    case 19:
      xor(sp);
      break;
    case 20:
      not(sp);
      break;
    case 21:
      byteAt(sp);
      break;
    case 22:
      shl(sp);
      break;
    case 23:
      shr(sp);
      break;
    case 24:
      sar(sp);
      break;
    case 25:
      clz(sp);
      break;
    default:
  }
}

export function hashRepeatedly(rounds: u32, length: u32): void {
  for (; rounds > 0; rounds--) keccak256(OPERANDS, length, STACK);
}
