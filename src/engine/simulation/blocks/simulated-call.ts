import type { CallObject } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import {
  assembleUnsigned,
  type Transaction,
  type TransactionBody,
  type TransactionType,
} from '../../../chain/transaction.ts';
import { isAtLeast, type Revision } from '../../../evm/revision.ts';
import { checksumAddress, ZERO_ADDRESS } from '../../../primitives/address.ts';
import { minBigInt } from '../../../primitives/bigint.ts';
import { hexToBytes } from '../../../primitives/hex.ts';
import type { BlockRules } from '../../transition/rules.ts';
import type { RunningTransaction } from '../../transition/running-transaction.ts';
import { TransactionError, type TransactionProblem } from '../../transition/transaction-error.ts';
import { buildCallTransaction, type CallLists } from '../call-transaction.ts';

/** What geth reads out of a legacy transaction's `v` of 0: (2^64 - 35) / 2. */
const UNSIGNED_CHAIN_ID = 0x7fff_ffff_ffff_ffeen;

/** A call as the transaction of a block: what is executed, and what the block lists. */
export type CallAsTransaction = {
  readonly sender: Uint8Array;
  readonly body: TransactionBody;
  readonly transaction: Transaction;
};

export type CallPlace = {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint | undefined;
  readonly rules: BlockRules;
  /** The type where neither lists, blobs nor a gas price choose another one. */
  readonly defaultType: TransactionType;
};

/** What geth's `CallDefaults` refuses. @throws ChainError with its texts */
export function checkCallDefaults(call: CallObject, chainId: bigint): void {
  if (
    call.gasPrice !== undefined &&
    (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)
  ) {
    throw new ChainError('failed', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  }
  if (call.to === undefined && call.blobVersionedHashes !== undefined) {
    throw new ChainError('failed', 'blob transaction of type create');
  }
  if (call.to === undefined && call.authorizationList !== undefined) {
    throw new ChainError('failed', 'EIP-7702 transaction cannot be used to create contract');
  }
  if (call.chainId !== undefined && BigInt(call.chainId) !== chainId) {
    throw new ChainError(
      'failed',
      `chainId does not match node's (have=${BigInt(call.chainId)}, want=${chainId})`,
    );
  }
}

/** What is found out before the type of a transaction is looked at. */
const BEFORE_TYPES: ReadonlySet<TransactionProblem> = new Set([
  'nonceTooHigh',
  'nonceTooLow',
  'tipAboveFeeCap',
  'feeCapTooLow',
]);

/**
 * Starts a call as a transaction, if its type is one of the block's.
 * @throws TransactionError of the first check that fails, in geth's order
 */
export function startChecked(
  call: CallObject,
  rules: BlockRules,
  start: () => RunningTransaction,
): RunningTransaction {
  const problem = findTypeProblem(call, rules);
  if (problem === undefined) return start();
  try {
    start();
  } catch (error) {
    if (!(error instanceof TransactionError) || BEFORE_TYPES.has(error.problem)) throw error;
  }
  throw problem;
}

/** A type before its fork, or without what it is for, in geth's words and order. */
function findTypeProblem(call: CallObject, { revision }: BlockRules): TransactionError | undefined {
  const { accessList, blobVersionedHashes, authorizationList } = call;
  const findEarly = (value: unknown, since: Revision, name: string): string | undefined => {
    if (value === undefined || isAtLeast(revision, since)) return undefined;
    const sender = checksumAddress(call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from));
    return `transaction type not supported: ${name} tx (sender ${sender})`;
  };
  const message =
    findEarly(accessList, 'berlin', 'access list') ??
    findEarly(blobVersionedHashes, 'cancun', 'blob') ??
    (blobVersionedHashes?.length === 0 ? 'blob transaction missing blob hashes' : undefined) ??
    findEarly(authorizationList, 'prague', 'setcode');
  return message === undefined ? undefined : new TransactionError(message);
}

/** geth's `ToTransaction`: a gas price makes it a legacy transaction, whatever else is given. */
function typeInBlock(call: CallObject, { baseFeePerGas, defaultType }: CallPlace): TransactionType {
  if (call.gasPrice !== undefined || baseFeePerGas === undefined) return 0;
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  // Where there is a base fee, fee market fields that are not given are zero.
  return defaultType === 0 || defaultType === 2 ? 2 : defaultType;
}

/** Before London an overridden base fee counts in what the sender offers, and is not asked for. */
function priceOf(
  built: Pick<TransactionBody, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  { baseFeePerGas, rules }: CallPlace,
): Pick<TransactionBody, 'maxFeePerGas' | 'maxPriorityFeePerGas'> {
  const { maxFeePerGas, maxPriorityFeePerGas } = built;
  if (baseFeePerGas === undefined || isAtLeast(rules.revision, 'london')) {
    return { maxFeePerGas, maxPriorityFeePerGas };
  }
  const isFree = maxFeePerGas === 0n && maxPriorityFeePerGas === 0n;
  const price = isFree ? 0n : minBigInt(maxPriorityFeePerGas + baseFeePerGas, maxFeePerGas);
  return { maxFeePerGas: price, maxPriorityFeePerGas: price };
}

/** Makes a call the transaction that a block lists. Nobody has signed it. */
export function buildSimulatedCall(call: CallObject, lists: CallLists, place: CallPlace): CallAsTransaction {
  const { body: built, sender } = buildCallTransaction(call, place.baseFeePerGas !== undefined, lists);
  const body: TransactionBody = {
    ...built,
    ...priceOf(built, place),
    nonce: place.nonce,
    gasLimit: place.gasLimit,
  };
  const type = typeInBlock(call, place);
  const chainId = type === 0 ? UNSIGNED_CHAIN_ID : place.rules.chainId;
  const { maxFeePerGas, maxPriorityFeePerGas } = built;
  const listed = { ...body, maxFeePerGas, maxPriorityFeePerGas, type, chainId };
  return { sender, body, transaction: assembleUnsigned(listed) };
}
