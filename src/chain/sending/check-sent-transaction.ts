import { recoverSender, type Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { sha256 } from '../../../packages/ethereum/primitives/sha256.ts';
import { isLowS, type RecoverPublicKey } from '../../../packages/ethereum/primitives/signature.ts';
import type { RevisionRules } from '../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { REVISIONS, type Revision, rulesOf } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { ChainError, createBoundRefusal } from '../errors.ts';
import { type BlobSidecar, decodeSentTransaction, type SentTransaction } from './sent-transaction.ts';

/** Minimum gas limits of a transaction: intrinsic gas, and the floor of the data gas cost (EIP-7623). */
export type LeastGas = { readonly intrinsic: bigint; readonly floor: bigint };

/** Bounds on transactions that hold on Ethereum, and may differ on other chains. */
export type EthereumBounds = {
  /** Rules of the block that follows the head. */
  readonly revision: RevisionRules;
  /** Gas limit of the head. */
  readonly gasLimit: bigint;
  readonly measureGas: (tx: Transaction, sender: Uint8Array, revision: RevisionRules) => LeastGas;
};

export type SendingRules = {
  readonly chainId: bigint;
  /** True if unprotected transactions (before EIP-155), which are valid on every chain, are accepted. */
  readonly allowsUnprotected: boolean;
  /** Ethereum's bounds on transactions. If undefined, only rules that hold on every chain are checked here, and the nodes check all others. */
  readonly bounds: EthereumBounds | undefined;
};

/** Transaction that passed all checks, and its sender (20 bytes). */
export type CheckedTransaction = SentTransaction & { readonly sender: Uint8Array };

/** Maximum size of a transaction in geth's pools, bytes. `MAX_BLOB_SIZE` applies to blob transactions instead. */
const MAX_SIZE = 128 * 1024;
/**
 * Maximum size of a transaction on chains for which Ethereum's bounds do not apply, bytes. All known chains have lower limits. Checking a transaction
 * of 512 KiB takes less than a tenth of a second.
 */
const MAX_FORM_SIZE = 512 * 1024;
const MAX_BLOB_SIZE = 1024 * 1024;
/** Maximum number of blobs per transaction in geth's blob pool. */
const MAX_BLOBS = 6;
const CELL_PROOFS_PER_BLOB = 128;
const MIN_BLOB_FEE = 1n;
const MAX_NONCE = 2n ** 64n - 1n;
const TWO_256 = 2n ** 256n;
const BLOB_HASH_VERSION = 1;
const BLOB_TYPE = 3;

/**
 * Decodes a transaction and runs all checks that need no state, in the order and with the error texts of geth's RPC and pools.
 * @param bytes network form: EIP-2718; blob transactions with their sidecar
 * @throws ChainError `failed` with geth's error text
 */
export function checkSentTransaction(
  bytes: Uint8Array,
  rules: SendingRules,
  recoverPublicKey: RecoverPublicKey,
): CheckedTransaction {
  const { bounds } = rules;
  checkSize(bytes, bounds !== undefined);
  const sent = readSent(bytes);
  const { transaction: tx, sidecar } = sent;
  if (tx.type === 0 && tx.chainId === undefined && !rules.allowsUnprotected)
    refuse('only replay-protected (EIP-155) transactions allowed over RPC');
  if (bounds !== undefined) checkBounds(tx, bounds);
  checkFees(tx);
  const sender = findSender(tx, rules, recoverPublicKey);
  if (tx.nonce === MAX_NONCE) refuse('nonce has max value');
  if (tx.value >= TWO_256) refuse('insufficient funds for gas * price + value');
  if (bounds !== undefined) checkLeastGas(tx, sender, bounds);
  if (tx.type === 3) checkBlobs(tx, sidecar, bounds);
  if (tx.type === 4 && tx.authorizationList.length === 0)
    refuse('set code tx must have at least one authorization tuple');
  return { ...sent, sender };
}

function refuse(message: string): never {
  throw new ChainError('failed', message);
}

function readSent(bytes: Uint8Array): SentTransaction {
  try {
    return decodeSentTransaction(bytes);
  } catch (error) {
    if (error instanceof RangeError) refuse(error.message);
    throw error;
  }
}

/** Checks the size before decoding, unlike geth, because decoding a large transaction is slow. */
function checkSize({ length, 0: first }: Uint8Array, isEthereum: boolean): void {
  const limit = first === BLOB_TYPE ? MAX_BLOB_SIZE : isEthereum ? MAX_SIZE : MAX_FORM_SIZE;
  if (length > limit) throw createBoundRefusal('failed', 'transaction.bytes', `${length}, limit ${limit}`);
}

function checkBounds(tx: Transaction, { revision, gasLimit }: EthereumBounds): void {
  const { transactionTypes, initCodeLimit, transactionGasCap } = revision;
  if (!transactionTypes.has(tx.type)) refuseType(tx.type, transactionTypes);
  if (tx.to === undefined && initCodeLimit !== undefined && tx.data.length > initCodeLimit)
    refuse(`max initcode size exceeded: code size ${tx.data.length} limit ${initCodeLimit}`);
  if (transactionGasCap !== undefined && tx.gasLimit > transactionGasCap)
    refuse(`transaction gas limit too high (cap: ${transactionGasCap}, tx: ${tx.gasLimit})`);
  if (tx.gasLimit > gasLimit) refuse('exceeds block gas limit');
}

/** Throws the error for a transaction type that the fork does not support. Before Berlin, the error names Berlin for every type, as in geth. */
function refuseType(type: number, known: ReadonlySet<number>): never {
  const missing = known.has(1) ? type : 1;
  const fork = REVISIONS.find((name) => rulesOf(name).transactionTypes.has(missing)) as Revision;
  const name = `${fork.charAt(0).toUpperCase()}${fork.slice(1)}`;
  refuse(`transaction type not supported: type ${type} rejected, pool not yet in ${name}`);
}

function checkFees({ maxFeePerGas, maxPriorityFeePerGas }: Transaction): void {
  if (maxFeePerGas >= TWO_256) refuse('max fee per gas higher than 2^256-1');
  if (maxPriorityFeePerGas >= TWO_256) refuse('max priority fee per gas higher than 2^256-1');
  if (maxFeePerGas < maxPriorityFeePerGas) refuse('max priority fee per gas higher than max fee per gas');
}

function findSender(
  tx: Transaction,
  { chainId }: SendingRules,
  recoverPublicKey: RecoverPublicKey,
): Uint8Array {
  if (tx.chainId !== undefined && tx.chainId !== chainId)
    refuse(`invalid sender: invalid chain id for signer: have ${tx.chainId} want ${chainId}`);
  const { r, s } = tx.signature;
  if (r >= TWO_256 || s >= TWO_256 || !isLowS(s))
    refuse('invalid sender: invalid transaction v, r, s values');
  let isRecovered = false;
  try {
    return recoverSender(tx, (hash, signature, yParity) => {
      isRecovered = true;
      return recoverPublicKey(hash, signature, yParity);
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The recovery starts only with values in range, so a later RangeError means that no public key matches the signature.
    refuse(`invalid sender: ${isRecovered ? 'recovery failed' : 'invalid transaction v, r, s values'}`);
  }
}

function checkLeastGas(tx: Transaction, sender: Uint8Array, { revision, measureGas }: EthereumBounds): void {
  const { intrinsic, floor } = measureGas(tx, sender, revision);
  if (tx.gasLimit < intrinsic)
    refuse(`intrinsic gas too low: gas ${tx.gasLimit}, minimum needed ${intrinsic}`);
  if (tx.gasLimit < floor)
    refuse(`insufficient gas for floor data gas cost: gas ${tx.gasLimit}, minimum needed ${floor}`);
  // Since EIP-8037, only execution gas is capped, and the intrinsic cost is part of the execution gas.
  const { executionGasCap } = revision;
  if (executionGasCap !== undefined && (intrinsic > executionGasCap || floor > executionGasCap))
    refuse(`insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor: ${floor}`);
}

function checkBlobs(
  { maxFeePerBlobGas, blobVersionedHashes: hashes }: Transaction,
  sidecar: BlobSidecar | undefined,
  bounds: EthereumBounds | undefined,
): void {
  if (maxFeePerBlobGas < MIN_BLOB_FEE)
    refuse(
      `transaction gas price below minimum: blob fee cap ${maxFeePerBlobGas}, minimum needed ${MIN_BLOB_FEE}`,
    );
  if (sidecar === undefined) refuse('missing sidecar in blob transaction');
  const { version, blobs, commitments, proofs } = sidecar;
  if (commitments.length !== hashes.length)
    refuse(
      `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`,
    );
  for (const [i, hash] of hashes.entries()) {
    const computed = hashCommitment(commitments[i] as Uint8Array);
    if (!bytesEqual(computed, hash))
      refuse(
        `blob ${i}: computed hash ${bytesToHex(computed)} mismatches transaction one ${bytesToHex(hash)}`,
      );
  }
  if (bounds !== undefined && hashes.length > MAX_BLOBS)
    refuse(`transaction blob limit exceeded: blob count ${hashes.length}, limit ${MAX_BLOBS}`);
  const expected = version === 1 ? commitments.length * CELL_PROOFS_PER_BLOB : commitments.length;
  if (proofs !== expected)
    refuse(`Wrong sidecar format: invalid number of ${proofs} blob proofs expected ${expected}`);
  if (blobs === 0) refuse('blobless blob transaction');
  if (blobs !== commitments.length)
    refuse(`invalid number of ${blobs} blobs compared to ${commitments.length} commitments`);
}

/** Returns the versioned hash of a commitment (EIP-4844): its SHA-256, in which the version replaces the first byte. */
function hashCommitment(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(sha256(commitment));
  hash[0] = BLOB_HASH_VERSION;
  return hash;
}
