import type { Block, Withdrawal } from '../../ethereum/codecs/block.ts';
import { computeLogsBloom, type StoredReceipt } from '../../ethereum/codecs/receipt.ts';
import { hashTransaction, recoverSender, type Transaction } from '../../ethereum/codecs/transaction.ts';
import { WHOLE_SLICE } from '../interpreter/slice.ts';
import { applyTransaction } from './apply-transaction.ts';
import { BlockAccessRecorder, type BuiltAccessList, type ExecutionState } from './block-access-recorder.ts';
import { BlockGas } from './block-gas.ts';
import { applyDaoFork } from './dao-fork.ts';
import type { ExecutionContext, TransactionResult } from './running-transaction.ts';
import { collectRequests, complete, type ProtocolSteps, runPreBlockCalls } from './system-calls.ts';
import { TransactionError } from './transaction-error.ts';
import { validateSignedTransaction } from './validate-transaction.ts';

export type BlockResult = {
  readonly receipts: readonly StoredReceipt[];
  /** `gasUsed` of the header; from Amsterdam it differs from the sum of the receipts. */
  readonly gasUsed: bigint;
  /** Execution and state gas, of which `gasUsed` is the larger (EIP-8037); before Amsterdam all gas is execution gas. */
  readonly executionGasUsed: bigint;
  readonly stateGasUsed: bigint;
  /** Hash of the execution requests (EIP-7685); absent before Prague. */
  readonly requestsHash: Uint8Array | undefined;
  /** Block access list (EIP-7928); absent before Amsterdam. */
  readonly accessList: BuiltAccessList | undefined;
};

/** The state on which a block executes, with its root. */
export interface RootedState extends ExecutionState {
  computeRoot(): Uint8Array;
}

/** EVM, block environment, rules and key recovery with which a block is executed. */
export type BlockContext = Pick<ExecutionContext, 'evm' | 'block' | 'rules' | 'recoverPublicKey'>;

const GWEI = 1_000_000_000n;
/** Withdrawals paid between two pauses, in 0.3 ms. */
const WITHDRAWALS_PER_PIECE = 64;

/**
 * Executes a complete block: system calls, transactions, withdrawals, requests, rewards.
 * @param state the state under the EVM; it contains all changes at the end
 * @throws TransactionError with the index of the invalid transaction
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
 * Pays withdrawals (EIP-4895). An address with a zero withdrawal also counts as accessed (EIP-7928).
 * @param onPiece called after each batch of withdrawals, while no transaction is open in the EVM
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
    // Balances only grow, so several parts with the same block access index produce the same access list as one part.
    accessList?.endPart();
    onPiece();
  }
}

/** Pays block rewards (yellow paper 11.3): the miner's reward plus 1/32 per uncle, and each uncle's reward by its depth. */
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
