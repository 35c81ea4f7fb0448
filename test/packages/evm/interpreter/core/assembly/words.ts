/** Exports each instruction body, and a loop over each for the bench; the product's module inlines the bodies. */
import { keccak256 as hash } from '../../../../../../packages/evm/interpreter/core/keccak.ts';
import * as addition from '../../../../../../packages/evm/interpreter/core/words/add.ts';
import * as bits from '../../../../../../packages/evm/interpreter/core/words/bitwise.ts';
import * as comparison from '../../../../../../packages/evm/interpreter/core/words/compare.ts';
import * as division from '../../../../../../packages/evm/interpreter/core/words/divide.ts';
import * as modular from '../../../../../../packages/evm/interpreter/core/words/modular.ts';
import * as product from '../../../../../../packages/evm/interpreter/core/words/multiply.ts';
import * as power from '../../../../../../packages/evm/interpreter/core/words/power.ts';
import * as shifts from '../../../../../../packages/evm/interpreter/core/words/shift.ts';
import * as signed from '../../../../../../packages/evm/interpreter/core/words/signed-divide.ts';
import * as word from '../../../../../../packages/evm/interpreter/core/words/word.ts';

/** Two pages of scratch memory for operands and bytes. */
const SCRATCH: usize = memory.data(131072, 16);

export function scratch(): usize {
  return SCRATCH;
}

export function add(sp: usize): void {
  addition.add(sp);
}

export function sub(sp: usize): void {
  addition.sub(sp);
}

export function mul(sp: usize): void {
  product.mul(sp);
}

export function div(sp: usize): void {
  division.div(sp);
}

export function sdiv(sp: usize): void {
  signed.sdiv(sp);
}

export function mod(sp: usize): void {
  division.mod(sp);
}

export function smod(sp: usize): void {
  signed.smod(sp);
}

export function addmod(sp: usize): void {
  modular.addmod(sp);
}

export function mulmod(sp: usize): void {
  modular.mulmod(sp);
}

export function exp(sp: usize): void {
  power.exp(sp);
}

export function signextend(sp: usize): void {
  bits.signextend(sp);
}

export function and(sp: usize): void {
  bits.and(sp);
}

export function or(sp: usize): void {
  bits.or(sp);
}

export function xor(sp: usize): void {
  bits.xor(sp);
}

export function not(sp: usize): void {
  bits.not(sp);
}

export function byteAt(sp: usize): void {
  bits.byteAt(sp);
}

export function clz(sp: usize): void {
  bits.clz(sp);
}

export function lt(sp: usize): void {
  comparison.lt(sp);
}

export function gt(sp: usize): void {
  comparison.gt(sp);
}

export function slt(sp: usize): void {
  comparison.slt(sp);
}

export function sgt(sp: usize): void {
  comparison.sgt(sp);
}

export function eq(sp: usize): void {
  comparison.eq(sp);
}

export function iszero(sp: usize): void {
  comparison.iszero(sp);
}

export function shl(sp: usize): void {
  shifts.shl(sp);
}

export function shr(sp: usize): void {
  shifts.shr(sp);
}

export function sar(sp: usize): void {
  shifts.sar(sp);
}

export function isZero(p: usize): bool {
  return word.isZero(p);
}

export function fitsU64(p: usize): bool {
  return word.fitsU64(p);
}

export function setU64(p: usize, value: u64): void {
  word.setU64(p, value);
}

export function copyWord(destination: usize, source: usize): void {
  word.copyWord(destination, source);
}

export function loadBigEndian(destination: usize, bytes: usize): void {
  word.loadBigEndian(destination, bytes);
}

export function storeBigEndian(bytes: usize, source: usize): void {
  word.storeBigEndian(bytes, source);
}

export function addImmediate(p: usize, value: u64): void {
  addition.addImmediate(p, value);
}

export function addWords(destination: usize, a: usize, b: usize): void {
  addition.addWords(destination, a, b);
}

export function andWord(destination: usize, a: usize, b: usize): void {
  bits.andWord(destination, a, b);
}

export function isLess(a: usize, b: usize): bool {
  return comparison.isLess(a, b);
}

export function isSignedLess(a: usize, b: usize): bool {
  return comparison.isSignedLess(a, b);
}

export function isEqual(a: usize, b: usize): bool {
  return comparison.isEqual(a, b);
}

export function shlBy(destination: usize, source: usize, count: u32): void {
  shifts.shlBy(destination, source, count);
}

export function shrBy(destination: usize, source: usize, count: u32): void {
  shifts.shrBy(destination, source, count);
}

export function expByteLength(p: usize): u32 {
  return power.expByteLength(p);
}

export function keccak256(input: usize, length: u32, output: usize): void {
  hash(input, length, output);
}
