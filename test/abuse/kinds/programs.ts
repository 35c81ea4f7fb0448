/** Small programs for calls: init code that runs as it is (`data` without `to`). */

import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { assemble } from '../../../scripts/assembler.ts';

/** Instruction that doubles the filled memory: MCOPY or, before Cancun, the identity precompile. */
export type Copy = 'MCOPY' | 'identity';

/** Copies `seed` to 0 and then behind itself until its length times `2 ** doublings` bytes are full. */
function fillMemory(seed: Uint8Array, doublings: number, copy: Copy): string {
  const lines = [`${seed.length} @seed 0 CODECOPY`];
  for (let index = 0, bytes = seed.length; index < doublings; index++, bytes *= 2) {
    lines.push(
      copy === 'MCOPY' ? `${bytes} 0 ${bytes} MCOPY` : `${bytes} ${bytes} ${bytes} 0 4 GAS STATICCALL POP`,
    );
  }
  return lines.join('\n');
}

const encode = (source: string): string => bytesToHex(assemble(source));

/** Reverts with `Error(string)` of about `1024 * 2 ** doublings` bytes of a character. */
export function revertWithText(character: number, doublings: number, copy: Copy = 'MCOPY'): string {
  const seed = new Uint8Array(1_024).fill(character);
  const bytes = seed.length * 2 ** doublings;
  const text = bytes - 68;
  return encode(`
    ${fillMemory(seed, doublings, copy)}
    0x08c379a000000000000000000000000000000000000000000000000000000000 0 MSTORE
    0x20 4 MSTORE ${text} 36 MSTORE
    ${bytes} 0 REVERT
    seed:: raw:${bytesToHex(seed)}`);
}

/** Reverts with `Error(string)` whose text is zeros in memory: no byte of it has to be written. @param text length, bytes */
export function revertWithZeros(text: number): string {
  return encode(`
    0x08c379a000000000000000000000000000000000000000000000000000000000 0 MSTORE
    0x20 4 MSTORE ${text} 36 MSTORE
    ${text + 68} 0 REVERT`);
}

const CONTRACT = `0x${'33'.repeat(20)}`;

/** Returns parameters of a call that returns `bytes` zeros, from a contract because init code's result is limited like code. */
export function callForZeros(bytes: number): readonly unknown[] {
  return [{ to: CONTRACT }, 'latest', { [CONTRACT]: { code: encode(`${bytes} 0 RETURN`) } }];
}

/** Calls a precompile repeatedly with `seed` copied `2 ** doublings` times one after the other. */
export function callPrecompile(
  address: number,
  seed: Uint8Array,
  doublings: number,
  { head = '', copy = 'MCOPY' }: { readonly head?: string; readonly copy?: Copy } = {},
): string {
  const bytes = seed.length * 2 ** doublings;
  return encode(`
    ${fillMemory(seed, doublings, copy)}
    ${head}
    again: 0 0 ${bytes} 0 ${address} GAS STATICCALL POP @again JUMP
    seed:: raw:${bytesToHex(seed)}`);
}

/** Repeats a piece of code until its gas is used up; `before` runs once. */
export function repeat(body: string, before = ''): string {
  return encode(`${before} again: ${body} @again JUMP`);
}

/** Code of a contract that expands its memory, calls itself as deep as gas allows, and then runs out of gas. */
export function recurseWithMemory(bytes: number): string {
  return encode(`
    1 ${bytes} MSTORE
    0 0 0 0 0 ADDRESS GAS CALL POP
    spin: @spin JUMP`);
}

/** Counts to `limit` and returns it. */
export function countTo(limit: number): string {
  return encode(`
    0 again: 1 ADD DUP1 ${limit} GT @again JUMPI
    0 MSTORE 32 0 RETURN`);
}
