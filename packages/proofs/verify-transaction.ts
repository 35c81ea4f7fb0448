import { minBigInt } from '../ethereum/primitives/bigint.ts';
import { bytesToHex, hexToBytes } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import { type RecoverPublicKey, recoverAddress } from '../ethereum/primitives/signature.ts';
import { compareTransactionMembers, requirePlace } from './compare-members.ts';
import { encodeSigned, encodeTransaction, findTransactionForm } from './encode-transaction.ts';
import type { Findings, Members } from './findings.ts';
import {
  ADDRESS,
  asQuantity,
  asText,
  isSameInteger,
  isSameText,
  readInteger,
  UnreadableMember,
} from './members.ts';
import { findPrepared, type PreparedTransaction } from './prepared-transactions.ts';
import type { TransactionForm } from './transaction-forms.ts';

/** Findings and RLP writer of a verification. */
export type VerifyTools = { readonly findings: Findings; readonly writer: RlpWriter };

/** Values of a block with which the members of its transactions and receipts are compared. Hashes are lower-case. */
export type StatedBlock = {
  readonly hash: string;
  readonly number: bigint;
  /** Unix time in seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint | undefined;
};

/** Facts of a verified transaction, with which its receipt is compared. */
export type VerifiedFacts = {
  readonly hash: string;
  readonly type: number;
  /** Sender; undefined if neither a hash nor a signature determines the sender. A receipt is then not refuted by its `from`. */
  readonly from: string | undefined;
  /** Recipient; null for a contract creation. */
  readonly to: string | null;
  /** Nonce; undefined if it is not hashed. */
  readonly nonce: string | undefined;
  /** Effective gas price in wei; undefined if transaction and base fee do not determine it. */
  readonly gasPrice: bigint | undefined;
  /** Number of blobs. */
  readonly blobs: number;
  /** True if nodes list the transaction, but no root covers it: Polygon's state sync transactions before Madhugiri. */
  readonly isUncovered?: true;
};

const HASH = /^0x[0-9a-fA-F]{64}$/;
/** Types whose gas price depends on the base fee (EIP-1559 and later). */
const DYNAMIC_TYPES: ReadonlySet<number> = new Set([2, 3, 4]);
const MAX_PRICED_TYPE = 4;

/** Parity of an invalid `v`; valid parities are 0 and 1. */
const NO_PARITY = 2;
const NOBODY = `0x${'0'.repeat(40)}`;

/**
 * Returns the facts of a state sync transaction of Polygon, which blocks list, but no root covers (bor, core/types/bor_receipt.go). Returns undefined
 * for all other transactions. A state sync has the zero address as sender and recipient, and neither gas nor signature. The transaction's hash is not
 * the hash of its fields.
 */
export function readUncovered(transaction: Members, writer: RlpWriter): VerifiedFacts | undefined {
  const { from, to, gas, r, s, hash, nonce } = transaction;
  const isOfNobody = from === NOBODY && to === NOBODY && gas === '0x0' && r === '0x0' && s === '0x0';
  if (!isOfNobody || typeof hash !== 'string' || typeof nonce !== 'string') return undefined;
  // No root covers the hash of this transaction, and the hash is stored with the facts, so its length must be checked.
  if (!HASH.test(hash)) return undefined;
  const form = findTransactionForm(transaction);
  try {
    if (form === undefined || encodeHashed(transaction, form, writer).hash === hash.toLowerCase())
      return undefined;
  } catch (error) {
    if (error instanceof UnreadableMember) return undefined;
    throw error;
  }
  return {
    hash: hash.toLowerCase(),
    type: 0,
    from: NOBODY,
    to: NOBODY,
    nonce,
    gasPrice: undefined,
    blobs: 0,
    isUncovered: true,
  };
}

/** @throws UnreadableMember if a hashed member is missing or malformed */
function encodeHashed(
  transaction: Members,
  form: TransactionForm,
  writer: RlpWriter,
): Pick<PreparedTransaction, 'encoded' | 'hash'> {
  const prepared = findPrepared(transaction);
  if (prepared !== undefined) return prepared;
  const encoded = encodeTransaction(transaction, form, writer);
  return { encoded, hash: bytesToHex(keccak256(encoded)) };
}

/**
 * Compares the hash and the unhashed members of a transaction object with its hashed members. The caller verifies that the block contains the transaction.
 * @param baseFeePerGas wei; undefined if the block has no base fee
 * @returns encoding and facts; undefined if the form is unknown or the transaction cannot be encoded. If undefined, a finding describes the reason.
 */
export function verifyTransaction(
  transaction: Members,
  tools: VerifyTools,
  baseFeePerGas: bigint | undefined,
): { readonly encoded: Uint8Array; readonly facts: VerifiedFacts } | undefined {
  const { findings, writer } = tools;
  const form = findTransactionForm(transaction);
  if (form === undefined) {
    const text = 'a transaction has an unknown type';
    findings.noteUnknown('transactions', text, ['type', transaction['type']]);
    return undefined;
  }
  try {
    const { encoded, hash } = encodeHashed(transaction, form, writer);
    if (!isSameText(transaction['hash'], hash)) {
      findings.contradict('transactions', 'a transaction does not hash to its hash', [
        transaction['hash'],
        hash,
      ]);
    }
    const { from } = transaction;
    if (from != null && !(typeof from === 'string' && ADDRESS.test(from)))
      findings.contradict('from', 'the sender of a transaction is not an address', [hash, from]);
    compareTwins(transaction, form, findings);
    compareTransactionMembers(transaction, form, hash, findings);
    return { encoded, facts: readFacts(transaction, form, hash, baseFeePerGas, findings) };
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
    const text = `a transaction cannot be encoded: ${error.message}`;
    findings.contradict('transactions', text, [transaction['hash']]);
    return undefined;
  }
}

/** Compares members that repeat the same value under different names. */
function compareTwins(transaction: Members, form: TransactionForm, findings: Findings): void {
  const { type, signed } = form;
  const { input, data, v, yParity, hash, from, sender } = transaction;
  if (hasField(form, 'sender') && from != null && !isSameText(from, asText(sender)))
    findings.contradict('from', 'the sender of a transaction differs from the hashed sender', [hash, from]);
  compareFeeCap(transaction, form, findings);
  if (input != null && data != null && !isSameText(data, asText(input))) {
    findings.contradict('transactions', 'data and input of a transaction differ');
  }
  if (signed === undefined) return;
  if (v != null && yParity != null) {
    const parity = readParity(readInteger(v, 'v'), type);
    if (!isSameInteger(yParity, parity)) {
      findings.contradict('transactions', 'v and yParity of a transaction differ');
    }
  }
  if (type !== undefined) return;
  const { chainId } = transaction;
  const signedFor = readProtection(transaction);
  if (chainId != null && signedFor !== undefined && !isSameInteger(chainId, signedFor)) {
    findings.contradict('chainId', 'the chain id of a transaction is not the one in its signature', [
      transaction['hash'],
      chainId,
    ]);
  }
}

/** On types that return the fee cap under two names, compares the two members. */
function compareFeeCap(
  transaction: Members,
  { type = 0, fields }: TransactionForm,
  findings: Findings,
): void {
  if (type <= MAX_PRICED_TYPE) return;
  const { maxFeePerGas, gasPrice, hash } = transaction;
  const isCap = fields.some(({ members: [, other] }) => other === 'gasPrice');
  if (!isCap || maxFeePerGas == null || gasPrice == null) return;
  if (!isSameInteger(gasPrice, readInteger(maxFeePerGas, 'maxFeePerGas')))
    findings.contradict('gasPrice', 'the gas price of a transaction differs from its fee cap', [
      hash,
      gasPrice,
    ]);
}

/**
 * Returns the parity in `v`. A legacy `v` is odd for parity 0 and even for parity 1: 27 and 28, or a value with the chain id (EIP-155). In typed
 * transactions, `v` is the parity.
 */
function readParity(v: bigint, type: number | undefined): bigint {
  return type === undefined ? (v + 1n) & 1n : v;
}

/** Returns the chain id in a legacy signature (EIP-155); undefined for an unprotected transaction. */
function readProtection(transaction: Members): bigint | undefined {
  const v = readInteger(transaction['v'], 'v');
  return v < 35n ? undefined : (v - 35n) >> 1n;
}

function readFacts(
  transaction: Members,
  form: TransactionForm,
  hash: string,
  baseFeePerGas: bigint | undefined,
  findings: Findings,
): VerifiedFacts {
  const { type = 0 } = form;
  const { from, to, nonce, blobVersionedHashes } = transaction;
  const price = type > MAX_PRICED_TYPE ? undefined : computePrice(transaction, type, baseFeePerGas);
  if (
    price !== undefined &&
    transaction['gasPrice'] != null &&
    !isSameInteger(transaction['gasPrice'], price)
  ) {
    findings.contradict(
      'gasPrice',
      'the gas price of a transaction does not follow from its fees and the base fee',
      [hash, transaction['gasPrice']],
    );
  }
  return {
    hash,
    type,
    from: typeof from === 'string' && hasSender(transaction, form) ? from.toLowerCase() : undefined,
    to: typeof to === 'string' ? to.toLowerCase() : null,
    nonce: hasField(form, 'nonce') ? asQuantity(nonce) : undefined,
    gasPrice: price,
    blobs:
      Array.isArray(blobVersionedHashes) && hasField(form, 'blobVersionedHashes')
        ? blobVersionedHashes.length
        : 0,
  };
}

/** Whether hashed members determine the sender. */
function hasSender(transaction: Members, form: TransactionForm): boolean {
  return form.signed === undefined ? hasField(form, 'from') : !isUnsigned(transaction);
}

function hasField({ fields }: TransactionForm, member: string): boolean {
  return fields.some(({ members }) => members[0] === member);
}

/**
 * Whether the signature is all zero. On some chains, blocks contain system transactions with a zero signature.
 * @throws UnreadableMember if r or s is malformed
 */
function isUnsigned({ r, s }: Members): boolean {
  return readInteger(r, 'r') === 0n && readInteger(s, 's') === 0n;
}

/** Returns the effective gas price at this base fee, in wei. @throws UnreadableMember if a fee member is malformed */
function computePrice(
  transaction: Members,
  type: number,
  baseFeePerGas: bigint | undefined,
): bigint | undefined {
  if (!DYNAMIC_TYPES.has(type)) return readInteger(transaction['gasPrice'], 'gasPrice');
  if (baseFeePerGas === undefined) return undefined;
  const cap = readInteger(transaction['maxFeePerGas'], 'maxFeePerGas');
  const price = baseFeePerGas + readInteger(transaction['maxPriorityFeePerGas'], 'maxPriorityFeePerGas');
  return minBigInt(price, cap);
}

/** Compares the block and the index that a transaction object states with the block and index of the transaction. */
export function verifyPlace(
  transaction: Members,
  { hash, number, timestamp }: StatedBlock,
  index: number,
  findings: Findings,
): void {
  const { blockHash, blockNumber, transactionIndex, blockTimestamp } = transaction;
  requirePlace(transaction, findings);
  const isCorrect =
    (blockHash === undefined || isSameText(blockHash, hash)) &&
    (blockNumber === undefined || isSameInteger(blockNumber, number)) &&
    (transactionIndex === undefined || isSameInteger(transactionIndex, index)) &&
    (blockTimestamp == null || isSameInteger(blockTimestamp, timestamp));
  if (!isCorrect) findings.contradict('place', 'a transaction names the wrong block or position');
}

/**
 * Encodes the signing payload of a transaction.
 * @returns undefined for an unsigned type
 * @throws UnreadableMember if a signed member is missing or malformed
 */
export function encodePayload(
  transaction: Members,
  form: TransactionForm,
  writer: RlpWriter,
): Uint8Array | undefined {
  if (form.signed === undefined) return undefined;
  const signedFor = form.type === undefined ? readProtection(transaction) : undefined;
  return encodeSigned(transaction, form, form.signed, signedFor, writer);
}

/**
 * Recovers the signer of a transaction.
 * @param recoverPublicKey recovers the public key of a signature
 * @returns undefined if the transaction is unsigned or its form is unknown
 * @throws UnreadableMember if a signed member is missing or malformed
 * @throws RangeError if the signature is invalid
 */
export function findSigner(
  transaction: Members,
  writer: RlpWriter,
  recoverPublicKey: RecoverPublicKey,
): string | undefined {
  const form = findTransactionForm(transaction);
  if (form?.signed === undefined || isUnsigned(transaction)) return undefined;
  const r = readInteger(transaction['r'], 'r');
  const s = readInteger(transaction['s'], 's');
  const v = readInteger(transaction['v'] ?? transaction['yParity'], 'v');
  const signedHash =
    findPrepared(transaction)?.signedHash ??
    keccak256(encodePayload(transaction, form, writer) as Uint8Array);
  const isWithoutParity = form.type === undefined && v < 27n;
  const signature = { r, s, yParity: isWithoutParity ? NO_PARITY : Number(readParity(v, form.type)) };
  return bytesToHex(recoverAddress(signedHash, signature, recoverPublicKey));
}

/**
 * Compares `from` with the recovered signer of a transaction whose hash is verified. In unsigned transactions, `from` is a hashed member.
 * @param recoverPublicKey recovers the public key of a signature
 */
export function verifySender(
  transaction: Members,
  { findings, writer }: VerifyTools,
  recoverPublicKey: RecoverPublicKey,
): void {
  const { from, hash } = transaction;
  if (from == null) return;
  try {
    const signer = findSigner(transaction, writer, recoverPublicKey);
    if (signer !== undefined && !isSameText(from, signer)) {
      const text = 'the sender of a transaction is not its signer';
      findings.contradict('from', text, [hash, from]);
    }
  } catch (error) {
    if (!(error instanceof UnreadableMember || error instanceof RangeError)) throw error;
    findings.contradict('from', 'no sender can be recovered from the signature of a transaction', [
      hash,
      from,
    ]);
  }
}

/** Returns the address of the contract that a transaction creates (yellow paper, section 7); undefined if sender or nonce are unknown or malformed. */
export function deriveContract({ from, nonce }: VerifiedFacts, writer: RlpWriter): string | undefined {
  if (from === undefined || nonce === undefined || !ADDRESS.test(from)) return undefined;
  const mark = writer.mark;
  try {
    if (!writer.quantity(nonce)) return undefined;
    writer.bytes(hexToBytes(from));
    writer.list(mark);
    return bytesToHex(keccak256(writer.view(mark)).subarray(12));
  } finally {
    writer.rewind(mark);
  }
}
