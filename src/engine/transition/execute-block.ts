import type { Block, Withdrawal } from '../../chain/block.ts';
import { computeLogsBloom, type StoredReceipt } from '../../chain/receipt.ts';
import { hashTransaction, recoverSender, type Transaction } from '../../chain/transaction.ts';
import { WHOLE_SLICE } from '../../evm/evm.ts';
import type { WorldState } from '../../evm/world-state.ts';
import { applyTransaction } from './apply-transaction.ts';
import { applyDaoFork } from './dao-fork.ts';
import type { ExecutionContext, TransactionResult } from './running-transaction.ts';
import { collectRequests, complete, runPreBlockCalls } from './system-calls.ts';
import { TransactionError } from './transaction-error.ts';
import { validateSignedTransaction } from './validate-transaction.ts';

export type BlockResult = {
  readonly receipts: readonly StoredReceipt[];
  readonly gasUsed: bigint;
  /** EIP-7685; absent before Prague. */
  readonly requestsHash: Uint8Array | undefined;
};

const GWEI = 1_000_000_000n;

/**
 * Executes a whole block: system calls, transactions, requests, withdrawals, rewards.
 * @param computeRoot root of the state as it is now, for receipts before Byzantium
 * @throws TransactionError naming the transaction that may not be executed
 */
export function executeBlock(
  block: Block,
  context: ExecutionContext,
  isDaoForkBlock: boolean,
  computeRoot: () => Uint8Array,
): BlockResult {
  const { rules, evm, block: environment } = context;
  const { state } = evm;
  evm.enter(environment, rules.chainId, rules.revision);
  evm.open();
  if (isDaoForkBlock) applyDaoFork(state);
  complete(runPreBlockCalls(block.header, context, WHOLE_SLICE));
  const { receipts, gasUsed } = executeTransactions(block, context, computeRoot);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  payWithdrawals(block.withdrawals ?? [], state);
  const requestsHash = rules.revision.hasRequests
    ? complete(collectRequests(logs, context, WHOLE_SLICE))
    : undefined;
  if (!rules.isMerged) payRewards(block, context);
  return { receipts, gasUsed, requestsHash };
}

function executeTransactions(
  { transactions, header }: Block,
  context: ExecutionContext,
  computeRoot: () => Uint8Array,
): { receipts: StoredReceipt[]; gasUsed: bigint } {
  const receipts: StoredReceipt[] = [];
  let gasUsed = 0n;
  for (const [index, tx] of transactions.entries()) {
    const sender = senderOf(tx, index, context);
    if (tx.gasLimit > header.gasLimit - gasUsed) throw failAt(index, 'gas limit reached');
    let result: TransactionResult;
    try {
      result = applyTransaction(tx, sender, context);
    } catch (error) {
      if (error instanceof TransactionError) throw failAt(index, error.message);
      throw error;
    }
    gasUsed += result.gasUsed;
    const { hasReceiptStatus } = context.rules.revision;
    receipts.push({
      type: tx.type,
      outcome: hasReceiptStatus ? BigInt(result.status === 'success') : computeRoot(),
      cumulativeGasUsed: gasUsed,
      logsBloom: computeLogsBloom(result.logs),
      logs: result.logs,
      sender,
      transactionHash: hashTransaction(tx),
    });
  }
  return { receipts, gasUsed };
}

function failAt(index: number, reason: string): TransactionError {
  return new TransactionError(`transaction ${index}: ${reason}`);
}

function senderOf(tx: Transaction, index: number, { rules, recoverPublicKey }: ExecutionContext): Uint8Array {
  try {
    validateSignedTransaction(tx, rules);
    return recoverSender(tx, recoverPublicKey);
  } catch (error) {
    throw failAt(index, (error as Error).message);
  }
}

/** EIP-4895. */
export function payWithdrawals(withdrawals: readonly Withdrawal[], state: WorldState): void {
  for (const { address, amount } of withdrawals) {
    if (amount > 0n) state.addBalance(address, amount * GWEI);
  }
}

/** Yellow paper 11.3: the miner's reward, a 32nd more per uncle, and the uncles' own by their depth. */
export function payRewards(
  { header, uncles }: Pick<Block, 'header' | 'uncles'>,
  { evm: { state }, rules }: ExecutionContext,
): void {
  const { blockReward } = rules.revision;
  for (const uncle of uncles) {
    state.addBalance(uncle.beneficiary, ((8n + uncle.number - header.number) * blockReward) / 8n);
  }
  state.addBalance(header.beneficiary, blockReward + (blockReward * BigInt(uncles.length)) / 32n);
}
