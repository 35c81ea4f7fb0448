import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { computeOrderedRoot } from '../ethereum/primitives/ordered-root.ts';
import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import { requireLogMembers, requireReceiptMembers } from './compare-members.ts';
import { encodeTrieReceipt } from './encode-receipt.ts';
import { readType } from './encode-transaction.ts';
import { Findings, type Members } from './findings.ts';
import type { KnownBlock, KnownTransactions } from './known-transactions.ts';
import { ListText, type ReceiptWalk } from './list-text.ts';
import { isMembers, isSameInteger, isSameText, readInteger, UnreadableMember } from './members.ts';
import type { VerifiedHeader } from './verify-block.ts';
import { deriveContract, type VerifiedFacts, type VerifyTools } from './verify-transaction.ts';

const GAS_PER_BLOB = 131_072;
/** Zero address; some nodes return it for transactions that create no contract. */
const NO_CONTRACT = `0x${'0'.repeat(40)}`;

/**
 * Compares the receipts of a block with its header and its transactions.
 * @param receipts a list of receipts, or the text of a list
 * @param transactions all transactions of the block
 */
export function verifyReceipts(
  receipts: unknown,
  header: VerifiedHeader,
  transactions: KnownTransactions,
  tools: VerifyTools,
): void {
  if (receipts instanceof ListText) {
    if (!areCorrect(receipts, header, transactions, tools.writer))
      verifyReceipts(receipts.parse(), header, transactions, tools);
    return;
  }
  const { findings } = tools;
  if (!Array.isArray(receipts) || receipts.length !== transactions.length) {
    findings.contradict('receipts', 'the number of receipts differs from the number of transactions');
    return;
  }
  const encodings: Uint8Array[] = [];
  const walk: ReceiptWalk = { gas: 0n, logs: 0 };
  for (const [index, receipt] of (receipts as readonly unknown[]).entries()) {
    const facts = transactions.facts[index] as VerifiedFacts;
    if (!readReceipt(receipt, facts, header, index, walk, tools, (encoded) => encodings.push(encoded)))
      return;
  }
  compareReceiptsRoot(header, bytesToHex(computeOrderedRoot(encodings)), findings);
}

/**
 * Compares a receipt with its transaction and its position in the block.
 * @param walk running totals before the receipt, which are updated
 * @param take receives the encoding, unless no root covers the receipt
 * @returns false if the receipt cannot be encoded. The findings then contain the fault.
 */
export function readReceipt(
  receipt: unknown,
  facts: VerifiedFacts,
  header: VerifiedHeader,
  index: number,
  walk: ReceiptWalk,
  tools: VerifyTools,
  take: (encoded: Uint8Array) => void,
): boolean {
  const { findings, writer } = tools;
  try {
    if (!isMembers(receipt)) throw new UnreadableMember('receipts');
    if (facts.isUncovered === true)
      findings.noteUnknown('receipts', 'the block has a receipt that no root covers');
    else take(encodeTrieReceipt(receipt, facts.type, writer));
    compareReceipt(receipt, facts, header, index, walk, tools);
    return true;
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
    findings.contradict('receipts', `a receipt cannot be encoded: ${error.message}`, [header.receiptsRoot]);
    return false;
  }
}

/** Compares the computed receipts root with the header's; adds a finding if they differ. */
export function compareReceiptsRoot(
  { receiptsRoot }: VerifiedHeader,
  root: string,
  findings: Findings,
): void {
  if (!isSameText(receiptsRoot, root)) {
    const evidence = [receiptsRoot, root];
    findings.contradict('receipts', 'the receipts do not hash to the root in the header', evidence);
  }
}

/** Whether the receipts in a text are correct. If they are not, the caller parses the text to describe the fault. */
function areCorrect(
  receipts: ListText,
  header: VerifiedHeader,
  transactions: KnownTransactions,
  writer: RlpWriter,
): boolean {
  return (
    readMatchingReceipts(receipts, 0, { header, transactions }, { gas: 0n, logs: 0 }, writer) &&
    receipts.count === transactions.length &&
    receipts.hashTrie() === header.receiptsRoot
  );
}

/**
 * Reads the receipts in a text. After this call, `receipts.encodings` returns the encodings.
 * @param first index in the block of the first receipt
 * @param walk running totals before the first receipt, which are updated, and are invalid after a failure
 * @returns whether all receipts are correct. If they are not, the caller parses the text to describe the fault.
 */
export function readMatchingReceipts(
  receipts: ListText,
  first: number,
  { header, transactions }: KnownBlock,
  walk: ReceiptWalk,
  writer: RlpWriter,
): boolean {
  const { rows } = transactions;
  if (rows === undefined) return false;
  const findings = new Findings();
  const decide = (receipt: unknown, index: number): Uint8Array | undefined => {
    const facts = transactions.facts[index];
    if (!isMembers(receipt) || facts === undefined || facts.isUncovered === true) return undefined;
    const encoded = encodeTrieReceipt(receipt, facts.type, writer);
    compareReceipt(receipt, facts, header, index, walk, { findings, writer });
    return findings.list.length === 0 ? encoded : undefined;
  };
  try {
    return receipts.readReceipts(header, first, rows, walk, decide);
  } catch (error) {
    if (error instanceof UnreadableMember) return false;
    throw error;
  }
}

function compareReceipt(
  receipt: Members,
  facts: VerifiedFacts,
  header: VerifiedHeader,
  index: number,
  walk: ReceiptWalk,
  { findings, writer }: VerifyTools,
): void {
  const { gasUsed, contractAddress, effectiveGasPrice, blobGasUsed, from, to } = receipt;
  const cumulative = readInteger(receipt['cumulativeGasUsed'], 'cumulativeGasUsed');
  if (gasUsed != null && !isSameInteger(gasUsed, cumulative - walk.gas)) {
    findings.contradict('gasUsed', 'the gas used in a receipt does not follow from the cumulative gas', [
      facts.hash,
      gasUsed,
      cumulative - walk.gas,
    ]);
  }
  walk.gas = cumulative;
  comparePlace(receipt, facts, header, index, findings);
  requireReceiptMembers(receipt, facts, findings);
  if (facts.from !== undefined && from != null && !isSameText(from, facts.from)) {
    findings.contradict('from', 'the sender in a receipt differs from that of its transaction', [
      facts.hash,
      from,
    ]);
  }
  if (to !== undefined && !isSameText(to ?? '', facts.to ?? '')) {
    findings.contradict('place', 'the recipient in a receipt differs from that of its transaction');
  }
  const created = facts.to === null ? deriveContract(facts, writer) : null;
  if (contractAddress !== undefined && created !== undefined) {
    const isNone = created === null && contractAddress === NO_CONTRACT;
    if (!isNone && !isSameText(contractAddress ?? '', created ?? ''))
      findings.contradict(
        'contractAddress',
        'the contract in a receipt is not the one that its transaction creates',
        [facts.hash, contractAddress],
      );
  }
  if (
    effectiveGasPrice != null &&
    facts.gasPrice !== undefined &&
    !isSameInteger(effectiveGasPrice, facts.gasPrice)
  ) {
    findings.contradict(
      'effectiveGasPrice',
      'the price in a receipt does not follow from its transaction and the base fee',
      [facts.hash, effectiveGasPrice],
    );
  }
  if (blobGasUsed != null && !isSameInteger(blobGasUsed, facts.blobs * GAS_PER_BLOB)) {
    findings.contradict('blobGas', 'the blob gas of a receipt is not that of its transaction', [
      facts.hash,
      blobGasUsed,
    ]);
  }
  compareLogs(receipt, facts, header, index, walk, findings);
}

function comparePlace(
  { type, transactionHash, transactionIndex, blockHash, blockNumber, blockTimestamp }: Members,
  facts: VerifiedFacts,
  { hash, number, timestamp }: VerifiedHeader,
  index: number,
  findings: Findings,
): void {
  const isCorrect =
    isSameText(transactionHash, facts.hash) &&
    isSameInteger(transactionIndex, index) &&
    isSameText(blockHash, hash) &&
    isSameInteger(blockNumber, number) &&
    (blockTimestamp == null || isSameInteger(blockTimestamp, timestamp)) &&
    (type == null || readType({ type }) === facts.type);
  if (!isCorrect) findings.contradict('place', 'a receipt names the wrong transaction or block');
}

function compareLogs(
  { logs }: Members,
  facts: VerifiedFacts,
  header: VerifiedHeader,
  index: number,
  walk: ReceiptWalk,
  findings: Findings,
): void {
  if (!Array.isArray(logs)) throw new UnreadableMember('logs');
  for (const log of logs as readonly unknown[]) {
    if (!isMembers(log)) throw new UnreadableMember('logs');
    requireLogMembers(log, facts.hash, findings);
    if (log['logIndex'] != null && !isSameInteger(log['logIndex'], walk.logs)) {
      findings.contradict('logIndex', 'the log indexes of the block are not consecutive', [
        facts.hash,
        log['logIndex'],
        walk.logs,
      ]);
    }
    walk.logs++;
    const { transactionHash, transactionIndex, blockHash, blockNumber, blockTimestamp, removed } = log;
    const isCorrect =
      (transactionHash === undefined || isSameText(transactionHash, facts.hash)) &&
      (transactionIndex === undefined || isSameInteger(transactionIndex, index)) &&
      (blockHash === undefined || isSameText(blockHash, header.hash)) &&
      (blockNumber === undefined || isSameInteger(blockNumber, header.number)) &&
      (blockTimestamp == null || isSameInteger(blockTimestamp, header.timestamp)) &&
      (removed === undefined || removed === false);
    if (!isCorrect) findings.contradict('place', 'a log names the wrong transaction or block');
  }
}
