/** Blocks that all rollups share. */
import { ALICE, BOB, CAROL, DAVE } from './accounts.ts';
import {
  approveToken,
  callReverter,
  ETHER,
  TOKEN,
  transfer,
  transferToken,
  transferTokenFrom,
} from './actions.ts';
import type { BlockPlan } from './chain-builder.ts';
import type { TransactionPlan } from './transaction-plan.ts';

/** Returns the plan with EIP-1559 fees (type 2). */
export function send(plan: TransactionPlan): TransactionPlan {
  return { ...plan, type: 2 };
}

export const TRANSFERS: BlockPlan = {
  shows: 'transfers of types 0, 1 and 2',
  transactions: [
    transfer(ALICE, BOB.address, ETHER),
    { ...transfer(BOB, CAROL.address, ETHER / 2n), type: 1 },
    send(transfer(CAROL, DAVE.address, ETHER / 4n)),
  ],
};

export const APPROVALS: BlockPlan = {
  shows: 'approve and transferFrom',
  transactions: [
    send(approveToken(ALICE, BOB.address, 2n ** 256n - 1n)),
    send(transferTokenFrom(BOB, ALICE.address, CAROL.address, 12n * TOKEN)),
  ],
};

export const FAILURES: BlockPlan = {
  shows: 'transactions that fail',
  transactions: ['revertString()', 'panicOverflow()', 'revertCustom()'].map((signature) => ({
    ...send(callReverter(BOB, signature)),
    fails: true,
  })),
};

export const HEAD: BlockPlan = {
  shows: 'the head: an ERC-20 transfer, one that fails, a plain transfer',
  transactions: [
    send(transferToken(ALICE, BOB.address, 5n * TOKEN)),
    { ...send(transferToken(DAVE, BOB.address, 1_000_000n * TOKEN)), fails: true },
    transfer(BOB, ALICE.address, ETHER / 100n),
  ],
};
