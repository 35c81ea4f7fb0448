import type { Block, Withdrawal } from '../../chain/block.ts';
import { computeLogsBloom, type StoredReceipt } from '../../chain/receipt.ts';
import { hashTransaction, recoverSender, type Transaction } from '../../chain/transaction.ts';
import { WHOLE_SLICE } from '../../evm/slice.ts';
import { applyTransaction } from './apply-transaction.ts';
import { BlockAccessRecorder, type BlockState, type BuiltAccessList } from './block-access-recorder.ts';
import { BlockGas } from './block-gas.ts';
import { applyDaoFork } from './dao-fork.ts';
import type { ExecutionContext, TransactionResult } from './running-transaction.ts';
import { collectRequests, complete, type ProtocolSteps, runPreBlockCalls } from './system-calls.ts';
import { TransactionError } from './transaction-error.ts';
import { validateSignedTransaction } from './validate-transaction.ts';

export type BlockResult = {
  readonly receipts: readonly StoredReceipt[];
  /** The header's, which from Amsterdam is not what the receipts add up to. */
  readonly gasUsed: bigint;
  /** The two sums of which `gasUsed` is the larger one (EIP-8037); before Amsterdam all of it is execution gas. */
  readonly executionGasUsed: bigint;
  readonly stateGasUsed: bigint;
  /** EIP-7685; absent before Prague. */
  readonly requestsHash: Uint8Array | undefined;
  /** EIP-7928; absent before Amsterdam. */
  readonly accessList: BuiltAccessList | undefined;
};

/** The state that a block is executed on, and its root. */
export interface RootedState extends BlockState {
  computeRoot(): Uint8Array;
}

/** Where a block is executed. */
export type BlockContext = Pick<ExecutionContext, 'evm' | 'block' | 'rules' | 'recoverPublicKey'>;

const GWEI = 1_000_000_000n;
/** Withdrawals that are paid between two pauses: 0.3 ms. */
const WITHDRAWALS_PER_PIECE = 64;

/**
 * Executes a whole block: system calls, transactions, withdrawals, requests, rewards.
 * @param state the one below the EVM, which has all changes at the end
 * @throws TransactionError naming the transaction that may not be executed
 */
export function executeBlock(
  block: Block,
  blockContext: BlockContext,
  isDaoForkBlock: boolean,
  state: RootedState,
): BlockResult {
  const { rules, evm, block: environment } = blockContext;
  const { revision } = rules;
  const blockGas = new BlockGas(block.header.gasLimit, revision.executionGasCap);
  evm.enter(environment, rules.chainId, revision);
  const accessList = revision.hasBlockAccessList ? new BlockAccessRecorder(evm, state) : undefined;
  if (accessList === undefined) evm.record('nothing');
  const context = { ...blockContext, blockGas, accessList };
  evm.open();
  if (isDaoForkBlock) applyDaoFork(evm.state);
  complete(runPreBlockCalls(block.header, context, WHOLE_SLICE));
  const receipts = executeTransactions(block, context, blockGas, state);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  accessList?.beginIndex(block.transactions.length + 1);
  complete(payWithdrawals(block.withdrawals ?? [], context));
  const requestsHash = revision.hasRequests
    ? complete(collectRequests(logs, context, WHOLE_SLICE))
    : undefined;
  if (!rules.isMerged) payRewards(block, context);
  state.apply(evm.state.collectChanges());
  return {
    receipts,
    gasUsed: blockGas.used,
    executionGasUsed: blockGas.execution,
    stateGasUsed: blockGas.state,
    requestsHash,
    accessList: accessList?.build(),
  };
}

function executeTransactions(
  { transactions }: Block,
  context: ExecutionContext,
  blockGas: BlockGas,
  state: RootedState,
): StoredReceipt[] {
  const { evm, rules, accessList } = context;
  const computeRoot = (): Uint8Array => {
    state.apply(evm.state.collectChanges());
    return state.computeRoot();
  };
  const receipts: StoredReceipt[] = [];
  for (const [index, tx] of transactions.entries()) {
    const sender = senderOf(tx, index, context);
    accessList?.beginIndex(index + 1);
    const result = executeAt(index, tx, sender, context, blockGas);
    accessList?.endPart();
    receipts.push({
      type: tx.type,
      outcome: rules.revision.hasReceiptStatus ? BigInt(result.status === 'success') : computeRoot(),
      cumulativeGasUsed: blockGas.paid,
      logsBloom: computeLogsBloom(result.logs),
      logs: result.logs,
      sender,
      transactionHash: hashTransaction(tx),
    });
  }
  return receipts;
}

function executeAt(
  index: number,
  tx: Transaction,
  sender: Uint8Array,
  context: ExecutionContext,
  blockGas: BlockGas,
): TransactionResult {
  try {
    const result = applyTransaction(tx, sender, context);
    blockGas.add(result);
    return result;
  } catch (error) {
    if (error instanceof TransactionError) throw failAt(index, error.message);
    throw error;
  }
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

/**
 * EIP-4895. An address with a withdrawal of nothing is accessed as well (EIP-7928).
 * @param onPiece called when some of them are paid, and no part is open
 */
export function* payWithdrawals(
  withdrawals: readonly Withdrawal[],
  { evm, accessList }: Pick<ExecutionContext, 'evm' | 'accessList'>,
  onPiece: () => void = () => {},
): ProtocolSteps<void> {
  for (let at = 0; at === 0 || at < withdrawals.length; at += WITHDRAWALS_PER_PIECE) {
    if (at > 0) yield 'sliceUsed';
    evm.open();
    evm.begin();
    for (const { address, amount } of withdrawals.slice(at, at + WITHDRAWALS_PER_PIECE)) {
      accessList?.touch(address);
      if (amount > 0n) evm.state.addBalance(address, amount * GWEI);
    }
    evm.finish();
    // Balances only grow, so that several parts of one index make the same access list as one.
    accessList?.endPart();
    onPiece();
  }
}

/** Yellow paper 11.3: the miner's reward, a 32nd more per uncle, and the uncles' own by their depth. */
export function payRewards(
  { header, uncles }: Pick<Block, 'header' | 'uncles'>,
  { evm: { state }, rules }: Pick<ExecutionContext, 'evm' | 'rules'>,
): void {
  const { blockReward } = rules.revision;
  for (const uncle of uncles) {
    state.addBalance(uncle.beneficiary, ((8n + uncle.number - header.number) * blockReward) / 8n);
  }
  state.addBalance(header.beneficiary, blockReward + (blockReward * BigInt(uncles.length)) / 32n);
}
