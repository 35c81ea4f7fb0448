import type { Block, Withdrawal } from '../../../../../packages/ethereum/codecs/block.ts';
import {
  measureBlockParts,
  measureListed,
  withdrawalToRlp,
} from '../../../../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader } from '../../../../../packages/ethereum/codecs/header.ts';
import {
  computeLogsBloom,
  encodeReceipt,
  type StoredReceipt,
} from '../../../../../packages/ethereum/codecs/receipt.ts';
import {
  GAS_PER_BLOB,
  hashTransaction,
  type Transaction,
} from '../../../../../packages/ethereum/codecs/transaction.ts';
import { ZERO_ADDRESS } from '../../../../../packages/ethereum/primitives/address.ts';
import { minBigInt } from '../../../../../packages/ethereum/primitives/bigint.ts';
import { BLOOM_LENGTH, mergeBloom } from '../../../../../packages/ethereum/primitives/bloom.ts';
import { bytesToHex, hexToBytes } from '../../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../../packages/ethereum/primitives/keccak.ts';
import { OrderedRoot } from '../../../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeRlp } from '../../../../../packages/ethereum/primitives/rlp.ts';
import type { Evm } from '../../../../../packages/evm/interpreter/evm.ts';
import type { BlockEnvironment, ExecutionLog } from '../../../../../packages/evm/interpreter/message.ts';
import { startTransaction } from '../../../../../packages/evm/transition/apply-transaction.ts';
import { BlockAccessRecorder } from '../../../../../packages/evm/transition/block-access-recorder.ts';
import { environmentOf } from '../../../../../packages/evm/transition/block-environment.ts';
import { BlockError } from '../../../../../packages/evm/transition/block-error.ts';
import { BlockGas } from '../../../../../packages/evm/transition/block-gas.ts';
import { payRewards, payWithdrawals } from '../../../../../packages/evm/transition/execute-block.ts';
import type { BlockRules } from '../../../../../packages/evm/transition/rules.ts';
import type {
  ExecutionContext,
  TransactionResult,
} from '../../../../../packages/evm/transition/running-transaction.ts';
import { collectRequests, runPreBlockCalls } from '../../../../../packages/evm/transition/system-calls.ts';
import { TransactionError } from '../../../../../packages/evm/transition/transaction-error.ts';
import { ChainError } from '../../../../chain/errors.ts';
import type { CallObject } from '../../../../chain/requests.ts';
import type { WithdrawalObject } from '../../../../chain/wire-json.ts';
import { getCryptography } from '../../../../engine/node-cryptography.ts';
import { decodeCallLists } from '../call-transaction.ts';
import { checkCall } from '../check-call.ts';
import { advance, type Execution, SLICE_GAS } from '../execution.ts';
import type { GasMeter } from '../gas-meter.ts';
import { applyStateOverrides } from '../state-overrides.ts';
import type { PlannedBlock } from './plan-blocks.ts';
import type { HashedHeader } from './prepare-header.ts';
import { refuseTransaction } from './refuse-transaction.ts';
import { buildSimulatedCall } from './simulated-call.ts';
import type { SimulatedState } from './simulated-state.ts';

/** Maximum number of list entries that one step decodes, or encodes and hashes, in 0.5 ms. */
const PIECE = 64;

/** Outcome of one call. */
export type SimulatedOutcome = {
  readonly result: TransactionResult;
  /** Logs of the call; empty if the call failed. */
  readonly logs: readonly ExecutionLog[];
  /** True if the call had less gas than it requested, because the simulation's gas was nearly used up. */
  readonly isGasCapped: boolean;
};

/** A simulated block with its receipts, which contain the senders. */
export type SimulatedBlock = HashedHeader & {
  readonly block: Block;
  /** RLP size, bytes. */
  readonly size: number;
  readonly receipts: readonly StoredReceipt[];
  readonly calls: readonly SimulatedOutcome[];
};

/** State shared by all blocks of a simulation. */
export type SimulationParts = {
  readonly evm: Evm;
  readonly state: SimulatedState;
  readonly meter: GasMeter;
  readonly isValidated: boolean;
  readonly tracesTransfers: boolean;
  /**
   * Logs by transaction hash. A call has no signature, so calls of different senders can have the same transaction hash. As in geth, the receipt of
   * the later call then also contains the logs of the earlier call.
   */
  readonly logsByHash: Map<string, readonly ExecutionLog[]>;
  /** Gas that remains for all further calls of the simulation. */
  budget: bigint;
};

/** A block before its execution: its request, the known part of its header, and its rules. */
export type BlockDraft = {
  readonly planned: PlannedBlock;
  readonly header: Header;
  readonly rules: BlockRules;
  readonly getBlockHash: (number: bigint) => Uint8Array;
};

/**
 * Simulates one block in this order: state overrides, system calls, calls as transactions, withdrawals, requests, rewards, roots.
 * @throws ChainError with geth's texts when the block or one of its calls is invalid
 */
export function* simulateBlock(parts: SimulationParts, draft: BlockDraft): Execution<SimulatedBlock> {
  const run = new BlockRun(parts, draft);
  try {
    yield* run.prepare();
    for (const call of draft.planned.calls ?? []) yield* run.execute(call);
    return yield* run.finish();
  } catch (error) {
    if (error instanceof BlockError) throw new ChainError('failed', error.message);
    throw error;
  }
}

class BlockRun {
  readonly #parts: SimulationParts;
  readonly #draft: BlockDraft;
  readonly #blockGas: BlockGas;
  #context: ExecutionContext & { readonly accessList: BlockAccessRecorder | undefined };
  readonly #transactions: Transaction[] = [];
  /** Total RLP size of the transactions that the block lists, bytes. */
  #transactionBytes = 0;
  readonly #receipts: StoredReceipt[] = [];
  readonly #calls: SimulatedOutcome[] = [];
  /** Addresses at which overrides removed or placed precompiles. */
  readonly #movedPrecompiles: Uint8Array[] = [];
  #blobGasUsed = 0n;

  constructor(parts: SimulationParts, draft: BlockDraft) {
    const { header, rules, planned, getBlockHash } = draft;
    this.#parts = parts;
    this.#draft = draft;
    const natural = environmentOf(header, rules, getBlockHash);
    const { blobBaseFee } = planned.overrides;
    const block: BlockEnvironment = {
      ...natural,
      // Before London, an overridden base fee affects only the header.
      baseFeePerGas: rules.revision.hasBaseFee ? natural.baseFeePerGas : undefined,
      blobBaseFee: blobBaseFee === undefined ? natural.blobBaseFee : BigInt(blobBaseFee),
    };
    const { recoverPublicKey } = getCryptography();
    // As in geth, the execution gas cap does not apply without validation: a call may use all its gas, and reserves all of it.
    const executionCap = parts.isValidated ? rules.revision.executionGasCap : undefined;
    const blockGas = new BlockGas(header.gasLimit, executionCap);
    this.#blockGas = blockGas;
    this.#context = { evm: parts.evm, block, rules, recoverPublicKey, blockGas, accessList: undefined };
  }

  *prepare(): Execution<void> {
    const { evm, block, rules } = this.#context;
    const { stateOverrides } = this.#draft.planned;
    evm.enter(block, rules.chainId, rules.revision);
    evm.record('logNumbers');
    if (stateOverrides !== undefined) {
      evm.open();
      evm.begin();
      const applying = applyStateOverrides(stateOverrides, evm.state, {
        precompiles: 'movable',
        moved: this.#movedPrecompiles,
      });
      // The changes are collected after each step, because collecting all of them after the last step would take longer than one step.
      for (let step = applying.next(); !step.done; step = applying.next()) {
        evm.finish();
        this.#collect();
        yield step.value;
        evm.open();
        evm.begin();
      }
      evm.finish();
      this.#collect();
    }
    // From Amsterdam on, the protocol logs transfers (EIP-7708), so geth's `traceTransfers` logs are omitted, as in geth.
    if (rules.revision.hasBlockAccessList) this.#context = { ...this.#context, accessList: this.#record() };
    else if (this.#parts.tracesTransfers) evm.record('transfers');
    yield* runPreBlockCalls(this.#draft.header, this.#context, SLICE_GAS);
  }

  /** Starts to record the block's access list; called after state overrides are applied, which are not part of the list. */
  #record(): BlockAccessRecorder {
    const { state } = this.#parts;
    const { number } = this.#draft.header;
    return new BlockAccessRecorder(this.#context.evm, {
      getAccount: (address) => state.getAccount(address),
      getStorage: (address, slot) => state.getStorage(address, slot),
      getCode: (hash) => state.getCode(hash),
      apply: (changes) => state.apply(changes, number),
    });
  }

  /** Executes a call as the block's next transaction. */
  *execute(call: CallObject): Execution<void> {
    const { evm, rules, accessList } = this.#context;
    const { header } = this.#draft;
    const sender = call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from);
    const nonce = call.nonce === undefined ? evm.state.getNonce(sender) : BigInt(call.nonce);
    const remaining = this.#blockGas.available;
    const requested = call.gas === undefined ? remaining : BigInt(call.gas);
    if (remaining < requested) {
      throw new ChainError(
        'blockGasLimit',
        `block gas limit reached: remaining: ${remaining}, required: ${requested}`,
      );
    }
    const gasLimit = minBigInt(requested, this.#parts.budget);
    checkCall(call, rules.chainId);
    const { baseFeePerGas } = header;
    const place = { nonce, gasLimit, baseFeePerGas, rules, defaultType: 2 } as const;
    const { body, transaction, provided } = buildSimulatedCall(call, yield* decodeCallLists(call), place);
    accessList?.beginIndex(this.#transactions.length + 1);
    evm.open();
    let result: TransactionResult;
    try {
      const mode = this.#parts.isValidated ? 'assembled' : 'assembledUnchecked';
      const running = startTransaction(body, sender, this.#context, mode, provided);
      for (let pause = advance(running); pause !== undefined; pause = advance(running)) yield pause;
      this.#parts.meter.used += Number(running.gasSpent);
      result = running.finish();
      this.#blockGas.add(result);
    } catch (error) {
      throw error instanceof TransactionError ? refuseTransaction(error, gasLimit) : error;
    }
    evm.finish();
    if (accessList === undefined) this.#collect();
    else accessList.endPart();
    this.#parts.budget -= result.gasUsed;
    if (transaction.type === 3) this.#blobGasUsed += GAS_PER_BLOB * BigInt(body.blobVersionedHashes.length);
    const logs = result.status === 'success' ? result.logs : [];
    this.#calls.push({ result, logs, isGasCapped: gasLimit < requested });
    this.#transactions.push(transaction);
    this.#transactionBytes += measureListed(transaction);
    yield* this.#addReceipt(transaction, sender, result.status === 'success', logs);
  }

  *#addReceipt(
    transaction: Transaction,
    sender: Uint8Array,
    succeeded: boolean,
    logs: readonly ExecutionLog[],
  ): Execution<void> {
    const transactionHash = hashTransaction(transaction);
    const receiptLogs = this.#keepLogs(transactionHash, logs);
    const { hasReceiptStatus } = this.#context.rules.revision;
    this.#receipts.push({
      type: transaction.type,
      outcome: hasReceiptStatus ? BigInt(succeeded) : yield* this.#parts.state.computeRoot(),
      cumulativeGasUsed: this.#blockGas.paid,
      logsBloom: computeLogsBloom(receiptLogs),
      logs: receiptLogs,
      sender,
      transactionHash,
    });
    yield 'sliceUsed';
  }

  /** Records the logs of a transaction, without transfer logs. @returns the logs of all transactions so far with this hash */
  #keepLogs(transactionHash: Uint8Array, logs: readonly ExecutionLog[]): readonly ExecutionLog[] {
    const { logsByHash } = this.#parts;
    const key = bytesToHex(transactionHash);
    const emitted = logs.filter(({ isTransfer }) => !isTransfer);
    const all = [...(logsByHash.get(key) ?? []), ...emitted];
    if (emitted.length > 0) logsByHash.set(key, all);
    return all;
  }

  *finish(): Execution<SimulatedBlock> {
    const { header: prepared, planned } = this.#draft;
    const { evm, rules, accessList } = this.#context;
    accessList?.beginIndex(this.#transactions.length + 1);
    const withdrawals = rules.revision.hasWithdrawals
      ? yield* decodeWithdrawals(planned.overrides.withdrawals ?? [])
      : undefined;
    yield* payWithdrawals(withdrawals ?? [], this.#context, () => this.#collect());
    const logs = this.#calls.flatMap((call) => call.logs);
    const requestsHash = rules.revision.hasRequests
      ? yield* collectRequests(logs, this.#context, SLICE_GAS)
      : undefined;
    evm.open();
    evm.begin();
    if (prepared.difficulty > 0n) payRewards({ header: prepared, uncles: [] }, this.#context);
    evm.finish();
    for (const address of this.#movedPrecompiles) evm.state.restorePrecompile(address);
    this.#collect();
    const stateRoot = yield* this.#parts.state.computeRoot();
    yield* this.#parts.state.seal(prepared.number);
    const accessListHash = accessList && keccak256(accessList.build().encoded);
    const withdrawalsList =
      withdrawals && (yield* rootOf(withdrawals, (one) => encodeRlp(withdrawalToRlp(one))));
    const header = {
      ...(yield* this.#complete(prepared, stateRoot, withdrawalsList?.root, requestsHash)),
      ...(accessListHash !== undefined && { blockAccessListHash: accessListHash }),
    };
    yield 'sliceUsed';
    const block = {
      header,
      transactions: this.#transactions,
      uncles: [],
      ...(withdrawals !== undefined && { withdrawals }),
    };
    const size = measureBlockParts(header, this.#transactionBytes, withdrawalsList?.bytes);
    return { header, hash: hashHeader(header), block, size, receipts: this.#receipts, calls: this.#calls };
  }

  *#complete(
    header: Header,
    stateRoot: Uint8Array,
    withdrawalsRoot: Uint8Array | undefined,
    requestsHash: Uint8Array | undefined,
  ): Execution<Header> {
    const logsBloom = new Uint8Array(BLOOM_LENGTH);
    for (const receipt of this.#receipts) mergeBloom(logsBloom, receipt.logsBloom);
    return {
      ...header,
      stateRoot,
      transactionsRoot: (yield* rootOf(this.#transactions, ({ encoded }) => encoded)).root,
      receiptsRoot: (yield* rootOf(this.#receipts, encodeReceipt)).root,
      logsBloom,
      gasUsed: this.#blockGas.used,
      ...(header.blobGasUsed !== undefined && { blobGasUsed: this.#blobGasUsed }),
      ...(withdrawalsRoot !== undefined && { withdrawalsRoot }),
      ...(requestsHash !== undefined && { requestsHash }),
    };
  }

  /** Applies the EVM's changes to the simulated state; called when no transaction is running. */
  #collect(): void {
    this.#parts.state.apply(this.#context.evm.state.collectChanges(), this.#draft.header.number);
  }
}

type EncodedList = { readonly root: Uint8Array; readonly bytes: number };

/** Computes the trie root of a list and the total size of its encoded items, with a pause after each `PIECE` items. */
function* rootOf<T>(items: readonly T[], encode: (item: T) => Uint8Array): Execution<EncodedList> {
  const root = new OrderedRoot();
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    const encoded = encode(item);
    bytes += encoded.length;
    root.add(encoded);
    if ((index + 1) % PIECE === 0) yield 'sliceUsed';
  }
  return { root: root.finish(), bytes };
}

function* decodeWithdrawals(provided: readonly WithdrawalObject[]): Execution<Withdrawal[]> {
  const withdrawals: Withdrawal[] = [];
  for (const one of provided) {
    withdrawals.push(decodeWithdrawal(one));
    if (withdrawals.length % PIECE === 0) yield 'sliceUsed';
  }
  return withdrawals;
}

function decodeWithdrawal({ index, validatorIndex, address, amount }: WithdrawalObject): Withdrawal {
  return {
    index: BigInt(index),
    validatorIndex: BigInt(validatorIndex),
    address: hexToBytes(address),
    amount: BigInt(amount),
  };
}
