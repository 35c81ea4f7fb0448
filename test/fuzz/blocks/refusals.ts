/** Blocks of which some transactions may not be in them. */
import type { Transaction } from '../../../src/chain/transaction.ts';
import { type BlockCase, signTransaction } from './block-case.ts';
import type { BlockOutcome } from './block-outcome.ts';

/** A transaction that may not be in the block. */
export class Refusal extends Error {
  /** Among the transactions that were executed together. */
  readonly place: number;

  constructor(place: number, reason: string) {
    super(reason);
    this.place = place;
  }
}

/**
 * Executes a case; transactions that are refused are left out, one after the other.
 * @param execute throws Refusal at the first transaction that may not be in the block
 */
export async function executeWithoutRefused(
  blockCase: BlockCase,
  execute: (transactions: readonly Transaction[]) => BlockOutcome | Promise<BlockOutcome>,
): Promise<BlockOutcome> {
  const rejected = new Map<number, string>();
  for (;;) {
    const cached = [...blockCase.transactions.entries()].filter(([index]) => !rejected.has(index));
    try {
      return { ...(await execute(cached.map(([, item]) => signTransaction(item)))), rejected };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      rejected.set(cached[error.place]?.[0] as number, error.message);
    }
  }
}
