import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { Members } from '../../../packages/proofs/findings.ts';
import { KnownTransactions } from '../../../packages/proofs/known-transactions.ts';
import { verifyReceipts } from '../../../packages/proofs/verify-receipts.ts';
import { BundleError } from '../format.ts';
import { readResult } from '../request-block.ts';
import { noteReceipt, UncoveredMembers } from '../uncovered-members.ts';
import { byHash, type ReadKind } from './read-kind.ts';
import { encodeTransactions, openTools, readFacts, refuseFindings } from './transactions.ts';

/** Verifies the receipts of a block against the root in its header. Senders, prices and contract addresses follow from the block's transactions. */
export const receipts: ReadKind = {
  uses: ['transactions'],
  async collect({ chain, scope }, block) {
    const answer = await chain.blocks.getReceipts(byHash(block), scope);
    return {
      result: answer === null ? null : await readResult(answer),
      evidence: { transactions: encodeTransactions(block).map(bytesToHex) },
    };
  },
  check({ header, result, evidence }) {
    const tools = openTools();
    const facts = readFacts(evidence.transactions.map(hexToBytes), header);
    verifyReceipts(result, header.verified, KnownTransactions.of(facts), tools);
    refuseFindings(tools);
    const told = new UncoveredMembers();
    for (const [index, receipt] of (result as readonly Members[]).entries()) {
      const own = facts[index];
      if (own === undefined) throw new BundleError('there are more receipts than transactions');
      noteReceipt(told, receipt, own, tools.writer);
    }
    return told.list;
  },
};
