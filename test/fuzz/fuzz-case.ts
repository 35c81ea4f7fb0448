/** A fuzz case: a state, a block, and one transaction or one message. */
import type { TransactionBody } from '../../packages/ethereum/codecs/transaction.ts';
import type { Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';

/** 0x and 40 lower-case hex digits. */
export type AddressText = string;

export type FuzzAccount = {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
  /** Nonzero values by slot. */
  readonly storage: ReadonlyMap<bigint, bigint>;
};

export type FuzzBlock = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly beneficiary: AddressText;
  readonly gasLimit: bigint;
  readonly difficulty: bigint;
  readonly prevRandao: bigint;
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined;
  readonly blobBaseFee: bigint;
};

export type FuzzCase = {
  readonly revision: Revision;
  /**
   * `transaction`: includes validation, fees and refunds. `message`: execution alone, with all of `gasLimit`;
   * the sender's nonce is already incremented.
   */
  readonly level: 'message' | 'transaction';
  readonly accounts: ReadonlyMap<AddressText, FuzzAccount>;
  readonly block: FuzzBlock;
  readonly sender: AddressText;
  readonly transaction: TransactionBody;
};

export const CHAIN_ID = 1n;

const HASH_FACTOR = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95n;

/** Hash of an ancestor of the block; every engine in a run uses it. */
export function blockHashOf(number: bigint): bigint {
  return BigInt.asUintN(256, (number + 1n) * HASH_FACTOR);
}
