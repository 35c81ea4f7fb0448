import type { Transaction, TransactionBody } from '../../ethereum/codecs/transaction.ts';
import { checksumAddress } from '../../ethereum/primitives/address.ts';
import { bytesEqual } from '../../ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH } from '../../ethereum/primitives/keccak.ts';
import { isLowS } from '../../ethereum/primitives/signature.ts';
import type { AccountState } from '../interpreter/host.ts';
import type { BlockEnvironment } from '../interpreter/message.ts';
import type { RevisionRules } from '../interpreter/revisions/revision-rules.ts';
import type { WorldState } from '../interpreter/world-state.ts';
import { isDelegation } from './delegation.ts';
import type { BlockRules } from './rules.ts';
import type { ExecutionContext } from './running-transaction.ts';
import { TransactionError } from './transaction-error.ts';

const BLOB_HASH_VERSION = 1;
const MAX_NONCE = 2n ** 64n - 1n;

/**
 * Checks a transaction's type, chain id, signature and number of blobs, which needs neither state nor block.
 * @throws TransactionError
 */
export function validateSignedTransaction(tx: Transaction, rules: BlockRules): void {
  const { transactionTypes, requiresLowS, blobsPerTransaction = Number.MAX_VALUE } = rules.revision;
  if (!transactionTypes.has(tx.type)) {
    throw new TransactionError('transaction type not supported');
  }
  if (tx.chainId !== undefined && tx.chainId !== rules.chainId) {
    throw new TransactionError(`invalid chain id for signer: have ${tx.chainId} want ${rules.chainId}`);
  }
  if (tx.type === 0 && tx.chainId !== undefined && !rules.hasReplayProtection) {
    throw new TransactionError('invalid transaction v, r, s values');
  }
  if (requiresLowS && !isLowS(tx.signature.s)) {
    throw new TransactionError('invalid transaction v, r, s values');
  }
  if (tx.blobVersionedHashes.length > blobsPerTransaction) {
    throw new TransactionError(
      `too many blobs in transaction (have ${tx.blobVersionedHashes.length}, max ${blobsPerTransaction})`,
    );
  }
}

/** Formats an account as in geth's errors. The checksum hashes the address, so call `describe` only when an error occurs. */
function describe(address: Uint8Array): string {
  return `address ${checksumAddress(address)}`;
}

/** Checks that the nonce equals the sender's nonce and can be raised. @throws TransactionError */
export function validateSender(
  tx: TransactionBody,
  sender: Uint8Array,
  account: Omit<AccountState, 'hasStorage'>,
): void {
  if (account.nonce < tx.nonce) {
    throw new TransactionError(
      `nonce too high: ${describe(sender)}, tx: ${tx.nonce} state: ${account.nonce}`,
      'nonceTooHigh',
    );
  }
  if (account.nonce > tx.nonce) {
    throw new TransactionError(
      `nonce too low: ${describe(sender)}, tx: ${tx.nonce} state: ${account.nonce}`,
      'nonceTooLow',
    );
  }
  if (account.nonce === MAX_NONCE)
    throw new TransactionError(`nonce has max value: ${describe(sender)}, nonce: ${tx.nonce}`);
}

/** Checks the cap of a transaction's gas limit: EIP-7825's in Osaka, and geth's own from Amsterdam. @throws TransactionError */
export function validateGasCap(
  { gasLimit }: TransactionBody,
  { transactionGasCap: cap }: RevisionRules,
): void {
  if (cap === undefined || gasLimit <= cap) return;
  throw new TransactionError(`transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`);
}

/** EIP-3607: a sender must have no code except a delegation. @throws TransactionError */
export function validateSenderCode(
  sender: Uint8Array,
  account: Omit<AccountState, 'hasStorage'>,
  state: WorldState,
): void {
  if (bytesEqual(account.codeHash, EMPTY_CODE_HASH)) return;
  const code = state.getCode(sender);
  if (!isDelegation(code))
    throw new TransactionError(`sender not an eoa: ${describe(sender)}, len(code): ${code.length}`);
}

/**
 * Whether a transaction has each list, even an empty one. For a call, its fields determine which lists are present; for a signed transaction, its
 * type does.
 */
export type PresentLists = {
  readonly hasAccessList: boolean;
  readonly hasBlobs: boolean;
  readonly hasAuthorizations: boolean;
};

/** Lists that signed transactions have, by type. `hasAccessList` is false, since `validateSignedTransaction` has already checked the type. */
export const LISTS_BY_TYPE: readonly PresentLists[] = [0, 1, 2, 3, 4].map((type) => ({
  hasAccessList: false,
  hasBlobs: type === 3,
  hasAuthorizations: type === 4,
}));

/**
 * Checks fee fields against the block's prices, and the fields of each type, in geth's order (EIP-1559, 2930, 3860, 4844, 7702).
 * @param skipsBaseFee whether a zero price disables the fee checks
 * @throws TransactionError
 */
export function validateFields(
  tx: TransactionBody,
  sender: Uint8Array,
  { block, rules: { revision } }: Pick<ExecutionContext, 'block' | 'rules'>,
  provided: PresentLists,
  skipsBaseFee: boolean,
): void {
  const isFree = skipsBaseFee && tx.maxFeePerGas === 0n && tx.maxPriorityFeePerGas === 0n;
  if (!isFree && revision.hasBaseFee) validateFees(tx, sender, block);
  if (provided.hasAccessList) expectType('access list', 1, sender, revision);
  if (provided.hasBlobs) validateBlobs(tx, sender, revision);
  const hasBlobGas = tx.blobVersionedHashes.length > 0 && !(skipsBaseFee && tx.maxFeePerBlobGas === 0n);
  if (hasBlobGas && revision.hasBlobs) validateBlobFee(tx, sender, block);
  if (provided.hasAuthorizations) validateAuthorizations(tx, sender, revision);
  const { initCodeLimit } = revision;
  if (tx.to === undefined && initCodeLimit !== undefined && tx.data.length > initCodeLimit) {
    throw new TransactionError(
      `max initcode size exceeded: code size ${tx.data.length} limit ${initCodeLimit}`,
      'initCodeSize',
    );
  }
}

function expectType(kind: string, type: number, sender: Uint8Array, revision: RevisionRules): void {
  if (revision.transactionTypes.has(type)) return;
  throw new TransactionError(
    `transaction type not supported: ${kind} tx (sender ${checksumAddress(sender)})`,
  );
}

function validateFees(
  tx: TransactionBody,
  sender: Uint8Array,
  { baseFeePerGas = 0n }: BlockEnvironment,
): void {
  if (tx.maxFeePerGas < tx.maxPriorityFeePerGas) {
    throw new TransactionError(
      `max priority fee per gas higher than max fee per gas: ${describe(sender)}, ` +
        `maxPriorityFeePerGas: ${tx.maxPriorityFeePerGas}, maxFeePerGas: ${tx.maxFeePerGas}`,
      'tipAboveFeeCap',
    );
  }
  if (tx.maxFeePerGas < baseFeePerGas) {
    throw new TransactionError(
      `max fee per gas less than block base fee: ${describe(sender)}, ` +
        `maxFeePerGas: ${tx.maxFeePerGas}, baseFee: ${baseFeePerGas}`,
      'feeCapTooLow',
    );
  }
}

function validateBlobs(tx: TransactionBody, sender: Uint8Array, revision: RevisionRules): void {
  expectType('blob', 3, sender, revision);
  if (tx.to === undefined) throw new TransactionError('blob transaction of type create');
  const { blobVersionedHashes: hashes } = tx;
  if (hashes.length === 0) throw new TransactionError('blob transaction missing blob hashes');
  if (hashes.length > (revision.blobsPerTransaction ?? Number.MAX_VALUE)) {
    throw new TransactionError('blob transaction has too many blobs');
  }
  const invalid = hashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION);
  if (invalid >= 0) throw new TransactionError(`blob ${invalid} has invalid hash version`);
}

function validateBlobFee(tx: TransactionBody, sender: Uint8Array, block: BlockEnvironment): void {
  if (tx.maxFeePerBlobGas < block.blobBaseFee) {
    throw new TransactionError(
      `max fee per blob gas less than block blob gas fee: ${describe(sender)} ` +
        `blobGasFeeCap: ${tx.maxFeePerBlobGas}, blobBaseFee: ${block.blobBaseFee}`,
    );
  }
}

function validateAuthorizations(tx: TransactionBody, sender: Uint8Array, revision: RevisionRules): void {
  expectType('setcode', 4, sender, revision);
  if (tx.to === undefined) {
    throw new TransactionError(
      `EIP-7702 transaction cannot be used to create contract (sender ${checksumAddress(sender)})`,
    );
  }
  if (tx.authorizationList.length === 0) {
    throw new TransactionError(
      `EIP-7702 transaction with empty auth list (sender ${checksumAddress(sender)})`,
    );
  }
}
