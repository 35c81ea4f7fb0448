import { type Block, decodeBlock } from '../../ethereum/codecs/block.ts';
import { type ChainConfig, isMergedAt } from '../../ethereum/codecs/chain-config.ts';
import type { Log } from '../../ethereum/codecs/receipt.ts';
import { decodeTransaction, recoverSender, type Transaction } from '../../ethereum/codecs/transaction.ts';
import { createAddress, ZERO_ADDRESS } from '../../ethereum/primitives/address.ts';
import { decodeRlp } from '../../ethereum/primitives/rlp.ts';
import type { RecoverPublicKey } from '../../ethereum/primitives/signature.ts';
import type { Evm } from '../interpreter/evm.ts';
import type { AccessedAccount, BlockEnvironment, MessageOutcome } from '../interpreter/message.ts';
import { WHOLE_SLICE } from '../interpreter/slice.ts';
import { startTransaction } from '../transition/apply-transaction.ts';
import { environmentOf } from '../transition/block-environment.ts';
import { type BlockResult, executeBlock } from '../transition/execute-block.ts';
import { GasSearch } from '../transition/gas-search.ts';
import { type BlockRules, rulesAt, rulesOfHeader } from '../transition/rules.ts';
import type { ExecutionContext, TransactionResult } from '../transition/running-transaction.ts';
import type { TransactionMode } from '../transition/transaction-modes.ts';
import { validateSignedTransaction } from '../transition/validate-transaction.ts';
import { collectAccesses, isSameList } from './access-list.ts';
import { type BlockInput, buildTransaction, type CallInput, completeBlock } from './call-input.ts';
import { requireBytes, requireCallInput } from './check-values.ts';
import { discoverReads } from './discover-reads.ts';
import { type LayeredState, PendingRead, type SourceChanges } from './layered-state.ts';

/** Outcome of a call: `output` is return data, revert data, or the code of the created contract. */
export type CallResult = MessageOutcome & {
  /** Gas that a transaction with this call would use, after refunds. */
  readonly gasUsed: bigint;
};

export type CreationResult = CallResult & { readonly address: Uint8Array };

export type AppliedTransaction = CallResult & {
  readonly logs: readonly Log[];
  /** Address of the created contract; absent for a call. */
  readonly createdAddress?: Uint8Array;
  readonly changes: SourceChanges;
};

export type AppliedBlock = BlockResult & { readonly changes: SourceChanges };

export type AccessListResult = CallResult & { readonly accessList: readonly AccessedAccount[] };

/** Error: the call of a gas estimate fails even with the highest gas limit. */
export class CallFailedError extends Error {
  readonly outcome: MessageOutcome;

  constructor(outcome: MessageOutcome) {
    super(outcome.status === 'revert' ? 'execution reverted' : outcome.reason);
    this.name = 'CallFailedError';
    this.outcome = outcome;
  }
}

/** Block environment and fork rules of one execution. */
type Place = { readonly block: BlockEnvironment; readonly rules: BlockRules };

/**
 * Executes calls, transactions and blocks on a `StateSource`. Transactions and blocks change the executor's own state, never the source. The result
 * of a transaction or block contains its state changes. When the source returns a promise, the execution is repeated once the promise resolves.
 */
export class Executor {
  readonly #evm: Evm;
  readonly #state: LayeredState;
  readonly #config: ChainConfig;
  readonly #recoverPublicKey: RecoverPublicKey;

  /** @param state the state that `evm` reads */
  constructor(evm: Evm, state: LayeredState, config: ChainConfig, recoverPublicKey: RecoverPublicKey) {
    this.#evm = evm;
    this.#state = state;
    this.#config = config;
    this.#recoverPublicKey = recoverPublicKey;
  }

  /** Runs a message call. @throws TransactionError with geth's text when the call is rejected before execution */
  async call(input: CallInput, block: BlockInput = {}): Promise<CallResult> {
    requireCallInput(input, 'call');
    return toCallResult(await this.#simulate(input, this.#placeOf(input, block)));
  }

  /** Runs the creation of a contract from `data` and discards the contract. @throws TransactionError when the creation is rejected before execution */
  async create(input: Omit<CallInput, 'to'>, block: BlockInput = {}): Promise<CreationResult> {
    requireCallInput(input, 'creation');
    const from = input.from ?? ZERO_ADDRESS;
    const nonce = await this.#retry(() => this.#evm.state.getNonce(from));
    return { ...(await this.call(input, block)), address: createAddress(from, nonce) };
  }

  /**
   * Executes a transaction. Later executions see the transaction's changes.
   * @param transaction encoded and signed, with all checks of a transaction in a block; or unsigned, from any sender, with the sender's current nonce
   * @throws TransactionError when the transaction is invalid; RangeError when it cannot be decoded
   */
  async transact(transaction: Uint8Array | CallInput, block: BlockInput = {}): Promise<AppliedTransaction> {
    if (!(transaction instanceof Uint8Array)) {
      requireCallInput(transaction, 'transaction');
      const from = transaction.from ?? ZERO_ADDRESS;
      const place = this.#placeOf(transaction, block);
      const nonce = await this.#retry(() => this.#evm.state.getNonce(from));
      const body = buildTransaction(transaction, place.block, place.rules, nonce);
      return this.#retry(() => this.#apply(body, from, place, 'assembledUnchecked'));
    }
    const place = this.#placeOf({ maxFeePerGas: 1n }, block);
    const signed = decodeSigned(transaction);
    validateSignedTransaction(signed, place.rules);
    const sender = recoverSender(signed, this.#recoverPublicKey);
    return this.#retry(() => this.#apply(signed, sender, place, 'mined'));
  }

  /**
   * Returns a gas limit with which the call succeeds: the number that geth returns, at most 1.5 % above the minimum.
   * @throws CallFailedError when the call fails with `input.gas` or, in its absence, with the default gas limit
   */
  async estimateGas(input: CallInput, block: BlockInput = {}): Promise<bigint> {
    requireCallInput(input, 'call');
    const place = this.#placeOf(input, block);
    const run = (gas?: bigint): Promise<TransactionResult> =>
      this.#simulate(gas === undefined ? input : { ...input, gas }, place, 'estimated');
    const { gasLimit } = buildTransaction(input, place.block, place.rules, 0n);
    const result = await run();
    if (result.status !== 'success') throw new CallFailedError(result);
    const search = new GasSearch(result, gasLimit);
    for (let gas = search.candidate; gas !== undefined; gas = search.candidate)
      search.note(await this.#succeeds(run, gas));
    return search.high;
  }

  /**
   * Returns the accounts and slots that a call accesses, except those that are warm without an access list. The result's other members describe a
   * call that uses the returned list.
   */
  async accessList(input: CallInput, block: BlockInput = {}): Promise<AccessListResult> {
    requireCallInput(input, 'call');
    const from = input.from ?? ZERO_ADDRESS;
    const nonce = await this.#retry(() => this.#evm.state.getNonce(from));
    const warm = [from, input.to ?? createAddress(from, nonce)];
    let accessList = input.accessList ?? [];
    for (;;) {
      const place = this.#placeOf(input, block);
      const found = await this.#retry(() => {
        this.#evm.record('accesses');
        try {
          const result = this.#run({ ...input, accessList }, place, 'simulated', nonce);
          return { result, list: collectAccesses(this.#evm, warm, accessList) };
        } finally {
          while (!this.#evm.abandon());
          this.#evm.record('nothing');
        }
      });
      if (isSameList(found.list, accessList)) return { ...toCallResult(found.result), accessList };
      accessList = found.list;
    }
  }

  /**
   * Executes a block of Byzantium or later with all its transactions. Later executions see the block's changes.
   * @param block decoded block, or its RLP
   * @returns the changes, and receipts, gas and requests hash, which the caller compares with the header
   * @throws TransactionError naming the index of an invalid transaction; BlockError when a system call fails
   */
  async executeBlock(block: Block | Uint8Array): Promise<AppliedBlock> {
    const decoded = block instanceof Uint8Array ? decodeBlock(block) : block;
    const { header } = decoded;
    const rules = rulesOfHeader(this.#config, header);
    const environment = environmentOf(header, rules, (number) => this.#state.getBlockHash(number));
    const context = this.#contextOf({ block: environment, rules });
    if (this.#state.isAsynchronous)
      await discoverReads(decoded.transactions.map((tx) => () => this.#tryAlone(tx, context)));
    return this.#retry(() => {
      let isDone = false;
      try {
        const isDaoFork = this.#config.daoForkBlock === header.number;
        const result = executeBlock(decoded, context, isDaoFork, this.#state);
        const changes = this.#state.commit();
        isDone = true;
        return { ...result, changes };
      } finally {
        this.#evm.record('nothing');
        if (!isDone) {
          // Transactions before the failed one are complete in the EVM, and `abandon` does not undo them.
          while (!this.#evm.abandon());
          this.#evm.forget();
          this.#state.discard();
        }
      }
    });
  }

  /** Drops all cached values and all changes. Call `forget` after the source has changed to another state. */
  forget(): void {
    this.#evm.forget();
    this.#state.reset();
  }

  async #succeeds(run: (gas: bigint) => Promise<TransactionResult>, gas: bigint): Promise<boolean> {
    try {
      return (await run(gas)).status === 'success';
    } catch {
      // The gas limit is below the intrinsic gas, so the call cannot start.
      return false;
    }
  }

  #placeOf({ maxFeePerGas = 0n }: Pick<CallInput, 'maxFeePerGas'>, input: BlockInput): Place {
    const [number, timestamp] = [input.number ?? 0n, input.timestamp ?? 0n];
    const isMerged = isMergedAt(this.#config, number, timestamp);
    const rules = rulesAt(this.#config, { number, timestamp, isMerged });
    const block = completeBlock(input, rules, (ancestor) => this.#state.getBlockHash(ancestor));
    const isFree = maxFeePerGas === 0n && block.baseFeePerGas !== undefined;
    return { rules, block: isFree ? { ...block, baseFeePerGas: 0n } : block };
  }

  #simulate(
    input: CallInput,
    place: Place,
    mode: 'simulated' | 'estimated' = 'simulated',
  ): Promise<TransactionResult> {
    return this.#retry(() => {
      const result = this.#run(input, place, mode, 0n);
      while (!this.#evm.abandon());
      return result;
    });
  }

  #run(input: CallInput, place: Place, mode: TransactionMode, nonce: bigint): TransactionResult {
    const body = buildTransaction(input, place.block, place.rules, nonce);
    this.#evm.open();
    const running = startTransaction(body, input.from ?? ZERO_ADDRESS, this.#contextOf(place), mode);
    while (!running.advance(WHOLE_SLICE));
    return running.finish();
  }

  #apply(
    body: Parameters<typeof startTransaction>[0],
    sender: Uint8Array,
    place: Place,
    mode: TransactionMode,
  ): AppliedTransaction {
    this.#evm.open();
    const running = startTransaction(body, sender, this.#contextOf(place), mode);
    while (!running.advance(WHOLE_SLICE));
    const result = running.finish();
    this.#evm.finish();
    this.#state.apply(this.#evm.state.collectChanges());
    const changes = this.#state.commit();
    const logs = result.logs.map(({ address, topics, data }) => ({ address, topics, data }));
    const applied = { ...toCallResult(result), logs, changes };
    return body.to === undefined
      ? { ...applied, createdAddress: createAddress(sender, body.nonce) }
      : applied;
  }

  /** Runs one transaction on the state before its block, to discover the values that it reads, and undoes the transaction. */
  #tryAlone(tx: Transaction, context: ExecutionContext): void {
    try {
      this.#evm.open();
      const sender = recoverSender(tx, this.#recoverPublicKey);
      const running = startTransaction(tx, sender, context, 'assembledUnchecked');
      while (!running.advance(WHOLE_SLICE));
    } finally {
      while (!this.#evm.abandon());
    }
  }

  #contextOf({ block, rules }: Place): ExecutionContext {
    return { evm: this.#evm, block, rules, recoverPublicKey: this.#recoverPublicKey };
  }

  /** Repeats an attempt until the source has returned every value that the attempt reads. Each failed attempt is undone. */
  async #retry<T>(attempt: () => T): Promise<T> {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        while (!this.#evm.abandon());
        if (!(error instanceof PendingRead)) throw error;
        await error.read;
      }
    }
  }
}

function toCallResult({ status, reason, output, gasUsed }: TransactionResult): CallResult {
  return { status, reason, output, gasUsed };
}

function decodeSigned(encoded: Uint8Array): Transaction {
  requireBytes(encoded, 'transaction');
  const isTyped = (encoded[0] ?? 0) < 0x80;
  return decodeTransaction(isTyped ? encoded : decodeRlp(encoded));
}
