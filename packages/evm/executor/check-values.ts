/**
 * Checks of values that users of the package pass in. JavaScript callers can pass any type, and the core would read wrong bytes from an array of
 * another length.
 */

import { bytesToHex } from '../../ethereum/primitives/hex.ts';
import { keccak256 } from '../../ethereum/primitives/keccak.ts';
import type { AccountState } from '../interpreter/host.ts';
import type { CallInput } from './call-input.ts';

const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;
const GAS_BITS = 63;
const WORD_BITS = 256;
const NONCE_BITS = 64;

/**
 * Checks a call or an unsigned transaction.
 * @param name name of the input, for errors
 * @throws RangeError that names the member and its valid values
 */
export function requireCallInput(input: CallInput, name: string): void {
  if (typeof input !== 'object' || input === null) throw new RangeError(`${name}: expected an object`);
  const { from, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, accessList } = input;
  if (from !== undefined) requireBytes(from, `${name}: from`, ADDRESS_BYTES);
  if (to !== undefined) requireBytes(to, `${name}: to`, ADDRESS_BYTES);
  else if (data === undefined) throw new RangeError(`${name}: neither "to" nor "data" is set`);
  if (data !== undefined) requireBytes(data, `${name}: data`);
  checkInteger(value, `${name}: value`, WORD_BITS);
  checkInteger(gas, `${name}: gas`, GAS_BITS);
  checkInteger(maxFeePerGas, `${name}: maxFeePerGas`, WORD_BITS);
  checkInteger(maxPriorityFeePerGas, `${name}: maxPriorityFeePerGas`, WORD_BITS);
  for (const { address, storageKeys } of accessList ?? []) {
    requireBytes(address, `${name}: accessList: address`, ADDRESS_BYTES);
    for (const key of storageKeys) requireBytes(key, `${name}: accessList: storage key`, WORD_BYTES);
  }
}

/**
 * Checks an account that a source returned. Like databases, a source may return null for an absent account.
 * @throws RangeError that names the member and its valid values
 */
export function requireSourceAccount(account: AccountState | null | undefined): AccountState | undefined {
  if (account === undefined || account === null) return undefined;
  checkInteger(account.nonce, 'state source: nonce', NONCE_BITS, true);
  checkInteger(account.balance, 'state source: balance', WORD_BITS, true);
  requireBytes(account.codeHash, 'state source: codeHash', WORD_BYTES);
  return account;
}

/** Checks the value of a slot. @throws RangeError when the value is longer than 32 bytes, or not a `Uint8Array` */
export function requireSourceWord(value: Uint8Array): Uint8Array {
  requireBytes(value, 'state source: storage');
  if (value.length > WORD_BYTES) throw new RangeError('state source: storage: expected at most 32 bytes');
  return value;
}

/** Checks that code has the expected hash. @throws RangeError when the hash differs */
export function requireSourceCode(code: Uint8Array, codeHash: Uint8Array): Uint8Array {
  requireBytes(code, 'state source: code');
  if (bytesToHex(keccak256(code)) === bytesToHex(codeHash)) return code;
  throw new RangeError(`state source: the code does not have the hash ${bytesToHex(codeHash)}`);
}

/** @throws RangeError when the value is not a `Uint8Array`, or not `length` bytes long */
export function requireBytes(value: unknown, name: string, length?: number): void {
  if (!(value instanceof Uint8Array)) throw new RangeError(`${name}: expected a Uint8Array`);
  if (length !== undefined && value.length !== length)
    throw new RangeError(`${name}: expected ${length} bytes, not ${value.length}`);
}

function checkInteger(value: unknown, name: string, bits: number, isRequired = false): void {
  if (value === undefined && !isRequired) return;
  if (typeof value !== 'bigint') throw new RangeError(`${name}: expected a bigint`);
  if (value < 0n || value >> BigInt(bits) > 0n) throw new RangeError(`${name}: expected 0 to 2^${bits} - 1`);
}
