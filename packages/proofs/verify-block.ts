import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { computeOrderedRoot } from '../ethereum/primitives/ordered-root.ts';
import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import { compareHeaderMembers, requireBlockMembers } from './compare-members.ts';
import { Findings, type Members } from './findings.ts';
import { findHeaderForm, hashEthereumHeader } from './hash-header.ts';
import { type HeaderForm, NO_UNCLES } from './header-forms.ts';
import { KnownTransactions } from './known-transactions.ts';
import { ListText } from './list-text.ts';
import {
  asText,
  isMembers,
  isSameText,
  readInteger,
  UnreadableMember,
  writeBytes,
  writeInteger,
} from './members.ts';
import {
  readUncovered,
  type StatedBlock,
  type VerifiedFacts,
  type VerifyTools,
  verifyPlace,
  verifyTransaction,
} from './verify-transaction.ts';

/** Members of a recomputed header, with which other responses are compared. */
export type VerifiedHeader = StatedBlock & {
  /** Header encoding that the chain uses. */
  readonly form: HeaderForm;
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly unclesHash: string;
  readonly logsBloom: string;
  /** Hash of the block access list (EIP-7928); undefined before Amsterdam, and on chains that do not hash it. */
  readonly accessListHash: string | undefined;
};

const LIST_MEMBER = 'blockAccessListHash';
/** Maximum withdrawals of a block. A block of Ethereum has at most 16 withdrawals (MAX_WITHDRAWALS_PER_PAYLOAD), and no chain has many more. */
const MAX_WITHDRAWALS = 1_024;

/**
 * Verifies the header of a block object against the block hash.
 * @returns undefined if the header belongs to another block or has an unknown form. The findings then contain the fault.
 */
export function verifyHeader(block: Members, hash: string, tools: VerifyTools): VerifiedHeader | undefined {
  const { findings, writer } = tools;
  if (!isSameText(block['hash'], hash)) {
    findings.contradict('header', 'the header belongs to another block');
    return undefined;
  }
  const form = findHeaderForm(block, hash, writer);
  if (form === undefined) {
    const evidence = [hash, hashEthereumHeader(block, writer) ?? 'cannot be encoded'];
    findings.contradict('header', 'the header does not hash to the block hash', evidence);
    return undefined;
  }
  compareHeaderMembers(block, form, findings);
  const { sha3Uncles, uncles } = block;
  if (Array.isArray(uncles) && (uncles.length === 0) !== isSameText(sha3Uncles, NO_UNCLES)) {
    findings.contradict('uncles', 'the header commits to other uncles than the block lists');
  }
  try {
    return readVerified(block, hash, form);
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
    findings.contradict('header', error.message);
    return undefined;
  }
}

function readVerified(block: Members, hash: string, form: HeaderForm): VerifiedHeader {
  const { number, timestamp, baseFeePerGas, parentHash, stateRoot, receiptsRoot, sha3Uncles, logsBloom } =
    block;
  const isHashed = (name: string): boolean =>
    block[name] != null && form.fields.some(({ member }) => member === name);
  return {
    form,
    hash: hash.toLowerCase(),
    number: readInteger(number, 'number'),
    timestamp: readInteger(timestamp, 'timestamp'),
    baseFeePerGas: isHashed('baseFeePerGas') ? readInteger(baseFeePerGas, 'baseFeePerGas') : undefined,
    stateRoot: asText(stateRoot).toLowerCase(),
    parentHash: asText(parentHash).toLowerCase(),
    receiptsRoot: asText(receiptsRoot).toLowerCase(),
    unclesHash: asText(sha3Uncles).toLowerCase(),
    logsBloom: asText(logsBloom).toLowerCase(),
    accessListHash: isHashed(LIST_MEMBER) ? asText(block[LIST_MEMBER]).toLowerCase() : undefined,
  };
}

/**
 * Verifies the full transactions and the withdrawals of a block against its verified header.
 * @param known transactions of this block from an earlier verification. If `ListText` reads transactions with the same hashes, the transactions root
 * is not computed again.
 * @returns facts of the transactions; undefined if they do not match the root. The findings then contain the fault.
 */
export function verifyBody(
  block: Members,
  header: VerifiedHeader,
  tools: VerifyTools,
  known?: KnownTransactions,
): KnownTransactions | undefined {
  requireBlockMembers(block, tools.findings);
  verifyWithdrawals(block, tools);
  const { transactions, transactionsRoot } = block;
  if (transactions instanceof ListText) {
    const right = readMatching(transactions, 0, header, tools.writer);
    const isCorrect =
      right !== undefined &&
      (known?.areHashesOf(right) === true || isSameText(transactionsRoot, transactions.hashTrie() ?? ''));
    if (isCorrect) return right;
  }
  const parsed = transactions instanceof ListText ? transactions.parse() : transactions;
  const facts = verifyTransactions(parsed, transactionsRoot, header, tools);
  return facts && KnownTransactions.of(facts);
}

/**
 * Reads the transactions in a text. After this call, `transactions.encodings` returns the encodings.
 * @param first index in the block of the first transaction
 * @returns undefined if there is a fault. The caller then parses the text to describe the fault.
 */
export function readMatching(
  transactions: ListText,
  first: number,
  block: StatedBlock,
  writer: RlpWriter,
): KnownTransactions | undefined {
  const tools = { findings: new Findings(), writer };
  const parsed = new Map<number, VerifiedFacts>();
  const isRead = transactions.readTransactions(block, first, (transaction, index) => {
    const verified = isMembers(transaction)
      ? verifyTransaction(transaction, tools, block.baseFeePerGas)
      : undefined;
    if (verified === undefined) return undefined;
    verifyPlace(transaction as Members, block, index, tools.findings);
    parsed.set(index - first, verified.facts);
    return tools.findings.list.length === 0 ? verified.encoded : undefined;
  });
  return isRead ? KnownTransactions.ofRows(transactions.copyRows(), parsed) : undefined;
}

function verifyTransactions(
  transactions: unknown,
  transactionsRoot: unknown,
  header: VerifiedHeader,
  tools: VerifyTools,
): readonly VerifiedFacts[] | undefined {
  const { findings } = tools;
  const encodings: Uint8Array[] = [];
  const facts: VerifiedFacts[] = [];
  if (!Array.isArray(transactions)) {
    findings.contradict('transactions', 'the block has no list of transactions');
    return undefined;
  }
  for (const [index, transaction] of (transactions as readonly unknown[]).entries()) {
    const read = readListed(transaction, index, header, tools);
    if (read === undefined) return undefined;
    if (read.encoded !== undefined) encodings.push(read.encoded);
    facts.push(read.facts);
  }
  return compareRoot(transactionsRoot, bytesToHex(computeOrderedRoot(encodings)), findings)
    ? facts
    : undefined;
}

/**
 * Compares the members of a transaction with its hashed fields and its place in the block.
 * @returns facts of the transaction, and its encoding unless no root covers it; undefined if the transaction cannot be verified. The findings then
 * contain the fault.
 */
export function readListed(
  transaction: unknown,
  index: number,
  block: StatedBlock,
  tools: VerifyTools,
): { readonly encoded?: Uint8Array; readonly facts: VerifiedFacts } | undefined {
  const { findings, writer } = tools;
  const uncovered = isMembers(transaction) ? readUncovered(transaction, writer) : undefined;
  if (uncovered !== undefined) {
    findings.noteUnknown('transactions', 'the block lists a transaction that no root covers');
    verifyPlace(transaction as Members, block, index, findings);
    return { facts: uncovered };
  }
  const verified = isMembers(transaction)
    ? verifyTransaction(transaction, tools, block.baseFeePerGas)
    : undefined;
  if (verified === undefined) {
    if (!findings.has('transactions'))
      findings.contradict('transactions', 'the block lists something that is not a transaction');
    return undefined;
  }
  verifyPlace(transaction as Members, block, index, findings);
  return verified;
}

/** Compares the computed transactions root with the header's; adds a finding if they differ. */
export function compareRoot(transactionsRoot: unknown, root: string, findings: Findings): boolean {
  if (isSameText(transactionsRoot, root)) return true;
  const evidence = [transactionsRoot, root];
  findings.contradict('transactions', 'the transactions do not hash to the root in the header', evidence);
  return false;
}

/** Compares a block object that lists transaction hashes with its verified header and the known transactions of the block. */
export function verifyListed(block: Members, known: KnownTransactions, tools: VerifyTools): void {
  requireBlockMembers(block, tools.findings);
  verifyWithdrawals(block, tools);
  const { transactions } = block;
  if (transactions instanceof ListText && known.rows !== undefined && transactions.areHashes(known.rows))
    return;
  const listed = transactions instanceof ListText ? transactions.parse() : transactions;
  const isCorrect =
    Array.isArray(listed) &&
    listed.length === known.length &&
    known.facts.every(({ hash }, index) => isSameText(listed[index], hash));
  if (!isCorrect)
    tools.findings.contradict('transactions', 'the listed transaction hashes are not those of the block');
}

/** Compares the withdrawals of a block with the root in its verified header. */
export function verifyWithdrawals(
  { withdrawals, withdrawalsRoot }: Members,
  { findings, writer }: VerifyTools,
): void {
  if (withdrawalsRoot == null) {
    if (withdrawals != null && !(Array.isArray(withdrawals) && withdrawals.length === 0))
      findings.contradict('withdrawals', 'the block lists withdrawals, but its header has no root of them');
    return;
  }
  // Null means an empty list of withdrawals; the root must be that of an empty list.
  const listed = withdrawals === null ? [] : withdrawals;
  const encodings = Array.isArray(listed) ? encodeWithdrawals(listed, writer) : undefined;
  const root = encodings === undefined ? 'cannot be encoded' : bytesToHex(computeOrderedRoot(encodings));
  if (!isSameText(withdrawalsRoot, root)) {
    const evidence = [withdrawalsRoot, root];
    findings.contradict('withdrawals', 'the withdrawals do not hash to the root in the header', evidence);
  }
}

/** Encodes withdrawals; undefined if a withdrawal cannot be encoded, or if there are more than `MAX_WITHDRAWALS`. */
function encodeWithdrawals(
  withdrawals: readonly unknown[],
  writer: RlpWriter,
): readonly Uint8Array[] | undefined {
  if (withdrawals.length > MAX_WITHDRAWALS) return undefined;
  const encodings: Uint8Array[] = [];
  for (const withdrawal of withdrawals) {
    if (!isMembers(withdrawal)) return undefined;
    const mark = writer.mark;
    try {
      writeInteger(writer, withdrawal['amount'], 'amount');
      writeBytes(writer, withdrawal['address'], 'address');
      writeInteger(writer, withdrawal['validatorIndex'], 'validatorIndex');
      writeInteger(writer, withdrawal['index'], 'index');
      writer.list(mark);
      encodings.push(writer.take(mark));
    } catch (error) {
      writer.rewind(mark);
      if (error instanceof UnreadableMember) return undefined;
      throw error;
    }
  }
  return encodings;
}
