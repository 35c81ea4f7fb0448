import type { CallObject } from '../../../chain/requests.ts';
import {
  assembleUnsigned,
  type Transaction,
  type TransactionBody,
  type TransactionType,
} from '../../../chain/transaction.ts';
import { minBigInt } from '../../../primitives/bigint.ts';
import type { BlockRules } from '../../transition/rules.ts';
import type { GivenLists } from '../../transition/validate-transaction.ts';
import { buildCallTransaction, type CallLists } from '../call-transaction.ts';

/** What geth reads out of a legacy transaction's `v` of 0: (2^64 - 35) / 2. */
const UNSIGNED_CHAIN_ID = 0x7fff_ffff_ffff_ffeen;

/** A call as the transaction of a block: what is executed, and what the block lists. */
export type CallAsTransaction = {
  readonly sender: Uint8Array;
  readonly body: TransactionBody;
  readonly transaction: Transaction;
  readonly given: GivenLists;
};

export type CallPlace = {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint | undefined;
  readonly rules: BlockRules;
  /** The type where neither lists, blobs nor a gas price choose another one. */
  readonly defaultType: TransactionType;
};

/** geth's `ToTransaction`: a gas price makes it a legacy transaction, whatever else is given. */
function typeInBlock(call: CallObject, { baseFeePerGas, defaultType }: CallPlace): TransactionType {
  if (call.gasPrice !== undefined || baseFeePerGas === undefined) return 0;
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  // Where there is a base fee, fee market fields that are not given are zero.
  return defaultType === 0 || defaultType === 2 ? 2 : defaultType;
}

/**
 * What the sender pays beyond the block's base fee. Before London an overridden base fee counts in what the sender offers, and is not
 * asked for: the sender pays it with the tip, and must have the whole of what it offers (geth).
 */
function tipOf(
  built: Pick<TransactionBody, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  { baseFeePerGas, rules }: CallPlace,
): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = built;
  if (baseFeePerGas === undefined || rules.revision.hasBaseFee) return maxPriorityFeePerGas;
  const isFree = maxFeePerGas === 0n && maxPriorityFeePerGas === 0n;
  return isFree ? 0n : minBigInt(maxPriorityFeePerGas + baseFeePerGas, maxFeePerGas);
}

/** Makes a call the transaction that a block lists. It is unsigned. */
export function buildSimulatedCall(call: CallObject, lists: CallLists, place: CallPlace): CallAsTransaction {
  const { body: built, sender, given } = buildCallTransaction(call, place.baseFeePerGas !== undefined, lists);
  const body: TransactionBody = {
    ...built,
    maxPriorityFeePerGas: tipOf(built, place),
    nonce: place.nonce,
    gasLimit: place.gasLimit,
  };
  const type = typeInBlock(call, place);
  const chainId = type === 0 ? UNSIGNED_CHAIN_ID : place.rules.chainId;
  const listed = { ...body, maxPriorityFeePerGas: built.maxPriorityFeePerGas, type, chainId };
  return { sender, body, given, transaction: assembleUnsigned(listed) };
}
