/** Contract calls: encodes calldata for functions with few arguments, and reads results as words. */

import { bytesToBigInt } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { readData } from './answers.ts';

const WORD_BYTES = 32;
const WORD_DIGITS = 64;

export type ContractCall = { readonly to: string; readonly data: string };

function encodeWord(value: bigint | number): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}

/** Encodes the calldata of `f(uint256)`. @param selector `0x` and four bytes */
export function encodeWordCall(selector: string, value: bigint): string {
  return selector + encodeWord(value);
}

/**
 * Encodes the calldata of `f(bytes)`: offset, length, and the bytes padded to whole words.
 * @param selector `0x` and four bytes
 */
export function encodeBytesCall(selector: string, bytes: Uint8Array): string {
  const digits = bytesToHex(bytes).slice(2);
  const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
  return selector + encodeWord(WORD_BYTES) + encodeWord(bytes.length) + padded;
}

/**
 * Reads the first word of a contract's return data as an integer.
 * @returns undefined if the call reverts or returns less than a word; this is no error, because the service makes the call, not the client
 * @throws ChainError for any other failure
 */
export async function readWord(
  chain: Chain,
  call: ContractCall,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  let answer: JsonResult;
  try {
    answer = await chain.execution.call({ call, block }, scope);
  } catch (error) {
    if (error instanceof ChainError && error.kind === 'reverted') return undefined;
    throw error;
  }
  const bytes = readData(answer, `the contract ${call.to} returned something other than data`);
  return bytes.length < WORD_BYTES ? undefined : bytesToBigInt(bytes.subarray(0, WORD_BYTES));
}
