/** A synthetic chain: its state at any block follows from the block's number. */

import { bigIntToBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { StateChanges } from '../../../../packages/evm/interpreter/host.ts';

export const ADDRESSES = 12;
export const SLOTS = 3;
/** An account is absent for one block in every LIFE_BLOCKS. */
const LIFE_BLOCKS = 7;

export const addressAt = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1);
export const slotAt = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);

/** Balance of an account after a block; undefined when the account does not exist. */
export function balanceAfter(block: number, index: number): bigint | undefined {
  return block === 0 || (block + index) % LIFE_BLOCKS === 0 ? undefined : BigInt(block * 1_000 + index);
}

/** Value of a slot after a block: each account writes one of its slots per block. */
export function slotAfter(block: number, index: number, slot: number): bigint {
  for (let at = block; at > 0 && (at + index) % LIFE_BLOCKS !== 0; at--)
    if (at % SLOTS === slot) return BigInt(at);
  return 0n;
}

/** State changes of block `number`. */
export function describeBlock(number: number): StateChanges {
  const accounts = Array.from({ length: ADDRESSES }, (_, index) => {
    const balance = balanceAfter(number, index);
    const account = balance === undefined ? undefined : { nonce: 0n, balance, codeHash: EMPTY_CODE_HASH };
    const write = [slotAt(number % SLOTS), bigIntToBytes(BigInt(number))] as const;
    const storage = account === undefined ? [] : [write];
    return { address: addressAt(index), account, isStorageCleared: account === undefined, storage };
  });
  return { accounts, codes: [] };
}
