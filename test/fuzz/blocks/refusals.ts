/** Executes blocks that contain invalid transactions. */
import type { Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { type BlockCase, signTransaction } from './block-case.ts';
import type { BlockOutcome } from './block-outcome.ts';

/** A transaction that is invalid in the block. */
export class Refusal extends Error {
  /** Index among the transactions that were executed together. */
  readonly place: number;

  constructor(place: number, reason: string) {
    super(reason);
    this.place = place;
  }
}

/**
 * Executes a case; refused transactions are removed one by one.
 * @param execute throws Refusal at the first transaction that is invalid in the block
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
