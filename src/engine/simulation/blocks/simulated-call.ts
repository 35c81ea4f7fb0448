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
import { hexToBytes } from '../../../primitives/hex.ts';
import type { BlockRules } from '../../transition/rules.ts';
import { TransactionError } from '../../transition/transaction-error.ts';
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

/** Types before their fork. @throws TransactionError with geth's text */
export function checkCallTypes(call: CallObject, { revision }: BlockRules): void {
  const needs: readonly (readonly [unknown, Revision, string])[] = [
    [call.accessList, 'berlin', 'access list'],
    [call.blobVersionedHashes, 'cancun', 'blob'],
    [call.authorizationList, 'prague', 'setcode'],
  ];
  for (const [value, since, name] of needs) {
    if (value === undefined || isAtLeast(revision, since)) continue;
    const sender = checksumAddress(call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from));
    throw new TransactionError(`transaction type not supported: ${name} tx (sender ${sender})`);
  }
}

/** geth's `ToTransaction`: a gas price makes it a legacy transaction, whatever else is given. */
function typeInBlock(call: CallObject, { baseFeePerGas, defaultType }: CallPlace): TransactionType {
  if (call.gasPrice !== undefined || baseFeePerGas === undefined) return 0;
  if (call.authorizationList !== undefined) return 4;
  if (call.blobVersionedHashes !== undefined) return 3;
  // Where there is a base fee, fee market fields that are not given are zero.
  return defaultType === 0 || defaultType === 2 ? 2 : defaultType;
}

/** Makes a call the transaction that a block lists. Nobody has signed it. */
export function buildSimulatedCall(call: CallObject, lists: CallLists, place: CallPlace): CallAsTransaction {
  const { body: built, sender } = buildCallTransaction(call, place.baseFeePerGas !== undefined, lists);
  const body: TransactionBody = { ...built, nonce: place.nonce, gasLimit: place.gasLimit };
  const type = typeInBlock(call, place);
  const chainId = type === 0 ? UNSIGNED_CHAIN_ID : place.rules.chainId;
  return { sender, body, transaction: assembleUnsigned({ ...body, type, chainId }) };
}
