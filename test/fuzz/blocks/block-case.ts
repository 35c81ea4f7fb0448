/** A block to execute: a state, the block's environment and signed transactions. */

import type { Withdrawal } from '../../../packages/ethereum/codecs/block.ts';
import type { Header } from '../../../packages/ethereum/codecs/header.ts';
import {
  assembleTransaction,
  encodeSigningPayload,
  type Transaction,
  type TransactionBody,
} from '../../../packages/ethereum/codecs/transaction.ts';
import { bigIntToFixedBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { privateKeyToAddress, signHash } from '../../../scripts/chains/secp256k1.ts';
import { type AddressText, blockHashOf, type FuzzAccount } from '../fuzz-case.ts';

/** Keys of accounts that sign: senders of transactions, and authorities of delegations. */
export const KEYS: readonly Uint8Array[] = Array.from({ length: 20 }, (_, index) =>
  new Uint8Array(32).fill(index + 1),
);
export const KEY_ADDRESSES: readonly AddressText[] = KEYS.map((key) => bytesToHex(privateKeyToAddress(key)));

/** A transaction body and its signer. */
export type SignedBy = {
  /** Index into `KEYS`. */
  readonly key: number;
  readonly body: TransactionBody;
};

export type CaseBlock = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly beneficiary: AddressText;
  readonly gasLimit: bigint;
  readonly prevRandao: bigint;
  readonly baseFeePerGas: bigint;
  readonly excessBlobGas: bigint;
  readonly parentBeaconBlockRoot: bigint;
  /** From Amsterdam on. */
  readonly slotNumber: bigint | undefined;
};

export type BlockCase = {
  readonly revision: Revision;
  readonly accounts: ReadonlyMap<AddressText, FuzzAccount>;
  readonly block: CaseBlock;
  readonly withdrawals: readonly Withdrawal[];
  readonly transactions: readonly SignedBy[];
};

type HeaderFields = Omit<CaseBlock, 'beneficiary' | 'prevRandao' | 'parentBeaconBlockRoot' | 'slotNumber'> &
  Pick<Header, 'parentHash' | 'mixHash' | 'slotNumber'> & { readonly parentBeaconBlockRoot: Uint8Array };

/** Header fields of a case without the beneficiary, for which engines have types of their own. */
export function headerFieldsOf(block: CaseBlock): HeaderFields {
  return {
    parentHash: bigIntToFixedBytes(blockHashOf(block.number - 1n), 32),
    number: block.number,
    gasLimit: block.gasLimit,
    timestamp: block.timestamp,
    mixHash: bigIntToFixedBytes(block.prevRandao, 32),
    baseFeePerGas: block.baseFeePerGas,
    excessBlobGas: block.excessBlobGas,
    parentBeaconBlockRoot: bigIntToFixedBytes(block.parentBeaconBlockRoot, 32),
    ...(block.slotNumber !== undefined && { slotNumber: block.slotNumber }),
  };
}

/** Cached signed transactions: signing is slow, and shrinking signs the same ones repeatedly. */
const signed = new Map<string, Transaction>();
const MAX_SIGNED = 2048;

export function signTransaction({ key, body }: SignedBy): Transaction {
  const hash = keccak256(encodeSigningPayload(body));
  const name = `${key} ${bytesToHex(hash)}`;
  let transaction = signed.get(name);
  if (transaction === undefined) {
    transaction = assembleTransaction(body, signHash(hash, KEYS[key] as Uint8Array));
    if (signed.size >= MAX_SIGNED) signed.clear();
    signed.set(name, transaction);
  }
  return transaction;
}
