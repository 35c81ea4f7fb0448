import {
  assembleUnsigned,
  type Transaction,
  type TransactionBody,
  type TransactionType,
} from '../../../../../packages/ethereum/codecs/transaction.ts';
import { minBigInt } from '../../../../../packages/ethereum/primitives/bigint.ts';
import type { BlockRules } from '../../../../../packages/evm/transition/rules.ts';
import type { PresentLists } from '../../../../../packages/evm/transition/validate-transaction.ts';
import type { CallObject } from '../../../../chain/requests.ts';
import { buildCallTransaction, type CallLists } from '../call-transaction.ts';

/** Chain id that geth derives from a legacy `v` of 0: (2^64 - 35) / 2. */
const UNSIGNED_CHAIN_ID = 0x7fff_ffff_ffff_ffeen;

/** A call of a simulated block: the body that is executed, and the transaction that the block lists. */
export type CallAsTransaction = {
  readonly sender: Uint8Array;
  readonly body: TransactionBody;
  readonly transaction: Transaction;
  readonly provided: PresentLists;
};

export type CallPlace = {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint | undefined;
  readonly rules: BlockRules;
  /** Transaction type of a call without gas price, blobs and authorizations in a block with a base fee; 0 stands for 2. */
  readonly defaultType: TransactionType;
};

/** Selects the transaction type like geth's `ToTransaction`: a call with a gas price is a legacy transaction, whatever its other fields are. */
function typeInBlock(call: CallObject, { baseFeePerGas, defaultType }: CallPlace): TransactionType {
  if (call.gasPrice !== undefined || baseFeePerGas === undefined) return 0;
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  // A fee market field that is absent counts as zero, so the call is a fee market transaction.
  return defaultType === 0 || defaultType === 2 ? 2 : defaultType;
}

/**
 * Returns the price per gas that the sender pays in addition to the block's base fee. Before London, a block has no base fee. If an override sets a
 * base fee before London, the sender pays it as part of the tip. As in geth, the sender needs a balance for the whole offered price.
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

/** Builds the unsigned transaction that a block lists for a call, and its body for execution. */
export function buildSimulatedCall(call: CallObject, lists: CallLists, place: CallPlace): CallAsTransaction {
  const {
    body: built,
    sender,
    provided,
  } = buildCallTransaction(call, place.baseFeePerGas !== undefined, lists);
  const body: TransactionBody = {
    ...built,
    maxPriorityFeePerGas: tipOf(built, place),
    nonce: place.nonce,
    gasLimit: place.gasLimit,
  };
  const type = typeInBlock(call, place);
  const chainId = type === 0 ? UNSIGNED_CHAIN_ID : place.rules.chainId;
  const listed = { ...body, maxPriorityFeePerGas: built.maxPriorityFeePerGas, type, chainId };
  return { sender, body, provided, transaction: assembleUnsigned(listed) };
}
