/** Pieces of assembly source that the contracts share. They use only Frontier's instructions, except where stated. */
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { selectorOf } from './abi.ts';

const WORD = 32;
/** Divisors that shift right: SHR exists only since Constantinople. */
const TWO_POW_160: string = `0x1${'0'.repeat(40)}`;
const TWO_POW_224: string = `0x1${'0'.repeat(56)}`;

/** A function whose `body` runs with the selector on the stack and must end by itself. */
export type ContractFunction = {
  readonly signature: string;
  readonly payable?: boolean;
  readonly body: string;
};

/** Instruction that ends an unsupported call; REVERT exists only since Byzantium. */
export type Refusal = 'revert' | 'invalid';

/**
 * Assembles Solidity's entry: jumps by selector, refuses value where a function is not payable, and calldata shorter than the head of the arguments.
 * Defines the label `refuse`. `receive` handles calls without a selector.
 */
export function dispatch(
  functions: readonly ContractFunction[],
  refusal: Refusal = 'revert',
  receive = '@refuse JUMP',
): string {
  const tests = functions.map(({ signature }, i) => `DUP1 ${selectorOf(signature)} EQ @function${i} JUMPI`);
  const bodies = functions.map(
    ({ signature, payable, body }, i) => `
      function${i}:
      ${payable === true ? '' : 'CALLVALUE @refuse JUMPI'}
      ${4 + WORD * countArguments(signature)} CALLDATASIZE LT @refuse JUMPI
      ${body}`,
  );
  return `
    4 CALLDATASIZE LT @receive JUMPI
    ${TWO_POW_224} 0 CALLDATALOAD DIV
    ${tests.join('\n')}
    refuse: ${refusal === 'revert' ? '0 0 REVERT' : 'INVALID'}
    receive: ${receive}
    ${bodies.join('\n')}
  `;
}

function countArguments(signature: string): number {
  const list = signature.slice(signature.indexOf('(') + 1, -1);
  return list === '' ? 0 : list.split(',').length;
}

/** [] -> [word] */
export function argument(index: number): string {
  return `${4 + WORD * index} CALLDATALOAD`;
}

/** [] -> [address]; refuses a word with dirty upper bits, as Solidity's decoder does. */
export function addressArgument(index: number): string {
  return `${argument(index)} DUP1 ${TWO_POW_160} SWAP1 DIV @refuse JUMPI`;
}

/** [] -> []; writes `bytes` into memory from 0, padded with zeros to whole words. */
export function storeBytes(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let i = 0; i < bytes.length; i += WORD) {
    const word = new Uint8Array(WORD);
    word.set(bytes.subarray(i, i + WORD));
    lines.push(`${bytesToHex(word)} ${i} MSTORE`);
  }
  return lines.join('\n');
}

/**
 * [] -> [length]; copies the dynamic argument `bytes` at head position `index` to memory 0.
 * An offset or length that points past the calldata reads zeros or runs out of gas.
 */
export function copyBytesArgument(index: number): string {
  return `
    ${argument(index)} 4 ADD        ; at
    DUP1 CALLDATALOAD               ; at length
    DUP1 ${WORD} DUP4 ADD 0 CALLDATACOPY
    SWAP1 POP
  `;
}

/** [] -> halt; reverts with `data`. Byzantium. */
export function revertWith(data: Uint8Array): string {
  return `${storeBytes(data)} ${data.length} 0 REVERT`;
}

/** [word] -> halt; returns the word */
export const RETURN_WORD: string = `0 MSTORE ${WORD} 0 RETURN`;

/** [key slot] -> [slot of the mapping's entry], Solidity's layout; uses memory 0 to 63. */
export const MAPPING_SLOT: string = '0x20 MSTORE 0 MSTORE 0x40 0 SHA3';

/** Reverts with the last call's return data. Byzantium. */
export const BUBBLE_REVERT: string = 'RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT';
