import type { AccountLeaf } from '../ethereum/primitives/account-leaf.ts';
import { recoverPublicKey } from '../ethereum/primitives/recover-public-key.ts';
import { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import { type Finding, Findings, type Members } from './findings.ts';
import { hashUncles } from './hash-uncles.ts';
import type { KnownTransactions } from './known-transactions.ts';
import { isMembers, isSameText } from './members.ts';
import { type StateProofRequest, verifyAccountProof, verifyCode } from './state-proof.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from './verify-block.ts';
import { verifyReceipts } from './verify-receipts.ts';
import { type VerifyTools, verifySender } from './verify-transaction.ts';

/** Result of a verification. If there are no findings, the trusted parameter (a hash or root) determines the whole answer. */
export type AnswerVerdict = { readonly isVerified: boolean; readonly findings: readonly Finding[] };

export type StateVerdict = AnswerVerdict & {
  /** The account; null if the account does not exist; undefined if the answer is wrong. */
  readonly account: AccountLeaf | null | undefined;
  /** Values of the requested slots, in order; empty if the answer is wrong. */
  readonly words: readonly bigint[];
};

/**
 * Verifies an answer to `eth_getBlockByHash` or `eth_getBlockByNumber` with full transactions: header, transactions, their senders, and
 * withdrawals.
 * @param hash trusted hash of the block: 32 bytes as hex text
 */
export function verifyBlockAnswer(block: unknown, hash: string): AnswerVerdict {
  const tools = createTools();
  if (readBlock(block, hash, tools) !== undefined)
    for (const transaction of (block as { transactions: readonly Members[] }).transactions)
      verifySender(transaction, tools, recoverPublicKey);
  return toVerdict(tools);
}

/**
 * Verifies an answer to `eth_getBlockReceipts` and an answer that contains the block of these receipts.
 * @param block an answer to `eth_getBlockByHash` with full transactions, which is verified too
 * @param hash trusted hash of the block
 */
export function verifyReceiptsAnswer(receipts: unknown, block: unknown, hash: string): AnswerVerdict {
  const tools = createTools();
  const known = readBlock(block, hash, tools);
  if (known !== undefined) verifyReceipts(receipts, known.header, known.transactions, tools);
  return toVerdict(tools);
}

/**
 * Verifies an answer to `eth_getProof`.
 * @param stateRoot the `stateRoot` of a verified block
 */
export function verifyStateAnswer(
  answer: unknown,
  request: StateProofRequest,
  stateRoot: string,
): StateVerdict {
  const tools = createTools();
  const state = verifyAccountProof(answer, request, stateRoot, tools.findings);
  return { ...toVerdict(tools), account: state?.account, words: state?.words ?? [] };
}

/** Verifies an answer to `eth_getCode`. @param codeHash code hash of the verified account, 32 bytes */
export function verifyCodeAnswer(code: unknown, codeHash: Uint8Array): AnswerVerdict {
  const tools = createTools();
  verifyCode(code, codeHash, tools.findings);
  return toVerdict(tools);
}

/**
 * Verifies the uncles of a block.
 * @param uncles answers to `eth_getUncleByBlockHashAndIndex`, in order
 * @param sha3Uncles uncles hash of the verified block
 */
export function verifyUnclesAnswer(uncles: readonly Members[], sha3Uncles: string): AnswerVerdict {
  const tools = createTools();
  if (!isSameText(sha3Uncles, hashUncles(uncles, tools.writer) ?? ''))
    tools.findings.contradict('uncles', 'the uncles do not hash to the uncles hash in the header');
  return toVerdict(tools);
}

function createTools(): VerifyTools {
  return { findings: new Findings(), writer: new RlpWriter() };
}

function readBlock(
  block: unknown,
  hash: string,
  tools: VerifyTools,
): { readonly header: VerifiedHeader; readonly transactions: KnownTransactions } | undefined {
  if (!isMembers(block)) {
    tools.findings.contradict('header', 'the answer is not a block');
    return undefined;
  }
  const header = verifyHeader(block, hash, tools);
  const transactions = header && verifyBody(block, header, tools);
  return header && transactions && { header, transactions };
}

function toVerdict({ findings }: VerifyTools): AnswerVerdict {
  return { isVerified: findings.list.length === 0, findings: findings.list };
}
