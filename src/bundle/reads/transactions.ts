/** Encodes the transactions of a block for the transactions trie, and reads facts that receipts depend on, such as the sender. */

import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../packages/ethereum/primitives/ordered-root.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { decodeHashedTransaction } from '../../../packages/proofs/decode-transaction.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import {
  findSigner,
  type VerifiedFacts,
  type VerifyTools,
  verifyTransaction,
} from '../../../packages/proofs/verify-transaction.ts';
import { getCryptography } from '../../engine/node-cryptography.ts';
import { decode, describeFindings, type HeaderEvidence } from '../evidence.ts';
import { BundleError } from '../format.ts';
import { readList } from './read-kind.ts';

/** Recovers a public key with the loaded cryptography library. @throws Error of the library */
export const recoverWithLibrary = (
  hash: Uint8Array,
  signature: Uint8Array,
  yParity: 0 | 1,
): Uint8Array | undefined => getCryptography().recoverPublicKey(hash, signature, yParity);

export function openTools(): VerifyTools {
  return { findings: new Findings(), writer: new RlpWriter() };
}

/** @throws BundleError if the verification has findings */
export function refuseFindings({ findings }: VerifyTools): void {
  if (findings.list.length > 0) throw new BundleError(describeFindings(findings));
}

/** Encodes a block's transaction objects. @throws BundleError if the encodings do not match the root in the header */
export function encodeTransactions(block: Members): readonly Uint8Array[] {
  const tools = openTools();
  const encodings = readList(block, 'transactions').map((transaction) => {
    const verified = isMembers(transaction) ? verifyTransaction(transaction, tools, undefined) : undefined;
    refuseFindings(tools);
    return verified?.encoded ?? new Uint8Array();
  });
  checkRoot(encodings, block);
  return encodings;
}

function checkRoot(encodings: readonly Uint8Array[], { transactionsRoot }: Members): void {
  if (bytesToHex(computeOrderedRoot(encodings)) !== transactionsRoot)
    throw new BundleError('the transactions do not hash to the root in the header');
}

/**
 * Returns the facts about a block's transactions that receipts depend on, such as the sender and the gas price. @throws BundleError if the
 * transactions do not match the root in the header
 */
export function readFacts(
  encodings: readonly Uint8Array[],
  { members, verified }: HeaderEvidence,
): readonly VerifiedFacts[] {
  const tools = openTools();
  checkRoot(encodings, members);
  return encodings.map((encoded) => {
    const decoded = decode(() => decodeHashedTransaction(encoded), 'a transaction');
    const hash = bytesToHex(keccak256(encoded));
    const from = decode(() => findSigner(decoded, tools.writer, recoverWithLibrary), 'a signature');
    const whole = { ...decoded, hash, ...(from !== undefined && { from }) };
    const facts = verifyTransaction(whole, tools, verified.baseFeePerGas)?.facts;
    refuseFindings(tools);
    return facts as VerifiedFacts;
  });
}
