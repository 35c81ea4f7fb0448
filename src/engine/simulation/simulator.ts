import type { BlockOverrides, CallObject, StateOverrides } from '../../chain/requests.ts';
import type { Evm } from '../../evm/evm.ts';
import type { Access, BlockEnvironment, Recording } from '../../evm/message.ts';
import { hasPrecompile } from '../../evm/revisions/revision-rules.ts';
import type { ChainReader } from '../../store/chain-reader.ts';
import { DEFAULT_MEMORY_LIMIT } from '../create-evm.ts';
import { getCryptography } from '../cryptography/create-cryptography.ts';
import { startTransaction } from '../transition/apply-transaction.ts';
import type { BlockRules } from '../transition/rules.ts';
import type { RunningTransaction } from '../transition/running-transaction.ts';
import type { TransactionMode } from '../transition/transaction-modes.ts';
import { type CallEnvironment, createCallEnvironment, type SimulationKind } from './call-environment.ts';
import {
  buildCallTransaction,
  type CallLists,
  decodeCallLists,
  NO_LISTS,
  type SimulatedTransaction,
} from './call-transaction.ts';
import { EvmPool, type PooledEvm } from './evm-pool.ts';
import type { Execution } from './execution.ts';
import type { GasMeter } from './gas-meter.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import { applyStateOverrides, type PrecompileHandling } from './state-overrides.ts';

/** Where calls run: at a block that exists. */
export type StateAt = {
  /** State after this block is what the call sees. */
  readonly blockNumber: bigint;
  /** Run in the environment of the block after it. */
  readonly isPending: boolean;
};

/** One execution as it is asked for. */
export type SimulationRequest = StateAt & {
  readonly call: CallObject;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/**
 * A call's gas limit at most, whatever is asked for and however high the blocks' own limit is. At the interpreter's
 * speed this much runs for several seconds.
 */
export const MAX_CALL_GAS: bigint = 2n ** 32n;

/** What geth lets overrides do to precompiles. */
const PRECOMPILES: Readonly<Record<SimulationKind, PrecompileHandling>> = {
  call: 'movable',
  estimate: 'checked',
  accessList: 'fixed',
};

/** Only calls may use all of their gas for execution: estimates are of what a transaction needs (EIP-8037). */
const MODES: Readonly<Record<SimulationKind, TransactionMode>> = {
  call: 'simulated',
  estimate: 'estimated',
  accessList: 'estimated',
};

/** Recorded accesses that are dropped in one piece: 0.3 ms. */
const ACCESSES_PIECE = 1_024;

type KnownEnvironment = {
  readonly block: bigint;
  readonly isPending: boolean;
  readonly environment: CallEnvironment;
};

/** Executes calls over the state of blocks; any number of them at a time, each in an EVM of its own. */
export class Simulator {
  readonly #chain: SimulatedChain;
  readonly #evms: EvmPool;
  readonly #meter: GasMeter;
  /** The environment without overrides that was asked for last. */
  #last: KnownEnvironment | undefined;

  /**
   * @param memoryLimit bytes of memory that one execution may have
   * @param meter where its gas is counted
   * @param evms EVMs that it shares with others
   */
  constructor(
    chain: SimulatedChain,
    memoryLimit: number = DEFAULT_MEMORY_LIMIT,
    meter: GasMeter = { used: 0 },
    evms: EvmPool = new EvmPool(memoryLimit),
  ) {
    this.#chain = chain;
    this.#evms = evms;
    this.#meter = meter;
  }

  /** Prepares a call's environment, and an EVM for it. The call may then be run many times, each from the start. */
  open(request: SimulationRequest, kind: SimulationKind): Simulation {
    const environment = this.environmentOf(request, kind);
    const entry = this.acquire(request.blockNumber);
    return new Simulation(request.call, entry, environment, MODES[kind], this.#meter);
  }

  /** The store that it executes on, for what needs more of it than states. */
  get reader(): ChainReader {
    const { store } = this.#chain;
    if (store === undefined) throw new Error('only states of this chain are at hand');
    return store;
  }

  /** An EVM on the state after a block. It must be released. */
  acquire(blockNumber: bigint): PooledEvm {
    return this.#evms.acquire(this.#chain.openState(blockNumber));
  }

  /** Makes an EVM free for others; it remembers its state where that may be opened again. */
  release(entry: PooledEvm): void {
    if (this.#chain.isForOneCall === true) this.#evms.releaseUnknown(entry);
    else this.#evms.release(entry);
  }

  /** Another block has one of the numbers that were executed at. */
  forgetEnvironment(): void {
    this.#last = undefined;
  }

  /** Where the gas of executions is counted. */
  get meter(): GasMeter {
    return this.#meter;
  }

  /** EVMs for executions on states of their own. */
  get evms(): EvmPool {
    return this.#evms;
  }

  /** Makes a simulation's EVM free for others. */
  close(simulation: Simulation): void {
    this.release(simulation.close());
  }

  /** Rules and block for calls there. */
  environmentOf(
    { blockNumber, isPending, blockOverrides }: StateAt & Pick<SimulationRequest, 'blockOverrides'>,
    kind: SimulationKind,
  ): CallEnvironment {
    const last = this.#last;
    if (blockOverrides === undefined && last?.block === blockNumber && last.isPending === isPending)
      return last.environment;
    const stored = this.#chain.getHeader(blockNumber);
    if (stored === undefined) throw new Error(`block ${blockNumber} is not stored`);
    const environment = createCallEnvironment(this.#chain, stored, isPending, blockOverrides ?? {}, kind);
    if (blockOverrides === undefined) this.#last = { block: blockNumber, isPending, environment };
    return environment;
  }
}

/** A call over its state; every run begins with the state as it was. */
export class Simulation {
  #call: CallObject;
  readonly #entry: PooledEvm;
  readonly #evm: Evm;
  readonly #environment: CallEnvironment;
  readonly #mode: TransactionMode;
  readonly #meter: GasMeter;
  /** Where the undo steps of a run begin. */
  #mark: number;
  #lists: CallLists = NO_LISTS;
  #isRecording = false;
  #built: SimulatedTransaction | undefined;

  constructor(
    call: CallObject,
    entry: PooledEvm,
    environment: CallEnvironment,
    mode: TransactionMode,
    meter: GasMeter,
  ) {
    const { evm } = entry;
    const { freeBlock, rules } = environment;
    this.#call = call;
    this.#entry = entry;
    this.#evm = evm;
    this.#environment = environment;
    this.#mode = mode;
    this.#meter = meter;
    evm.enter(freeBlock, rules.chainId, rules.revision);
    this.#mark = evm.open();
  }

  /**
   * Before the first run: reads the call's lists and changes the state that every run begins with.
   * @throws ChainError with geth's text for contradictions
   */
  *prepare(overrides: StateOverrides | undefined, kind: SimulationKind): Execution<void> {
    if (overrides !== undefined) {
      const { overrideRules } = this.#environment;
      yield* applyStateOverrides(overrides, this.#evm.state, {
        precompiles: PRECOMPILES[kind],
        isPrecompile: (address) => hasPrecompile(overrideRules.revision, address),
      });
      this.#mark = this.#evm.mark();
    }
    this.#lists = yield* decodeCallLists(this.call);
  }

  /** Whether the call has no lists: without overrides `prepare` has nothing to do then. */
  get isPlain(): boolean {
    const { accessList, authorizationList, blobVersionedHashes } = this.call;
    return accessList === undefined && authorizationList === undefined && blobVersionedHashes === undefined;
  }

  /** Undoes a piece of the run before. @returns whether nothing of it is left, so that the next `start` is short */
  undoRunPiece(): boolean {
    return this.#evm.rollbackPiece(this.#mark);
  }

  /** Undoes a piece of everything. @returns whether nothing is left: then it may be closed */
  undoPiece(): boolean {
    return (!this.#isRecording || this.#dropAccesses()) && this.#evm.abandon();
  }

  /** Drops a piece of what was recorded and not taken. @returns whether nothing is left */
  #dropAccesses(): boolean {
    for (let left = ACCESSES_PIECE; left > 0; left--) if (this.#evm.takeAccess() === undefined) return true;
    return false;
  }

  /** Ends it. @returns the EVM, to be released */
  close(): PooledEvm {
    if (this.#isRecording) this.#evm.record('nothing');
    return this.#entry;
  }

  /** Bytes that its EVM takes more than before. */
  get memoryGrowth(): number {
    return this.#evm.memoryPeak - this.#entry.bytes;
  }

  /** To be called when a run has ended. */
  noteEnd(running: RunningTransaction): void {
    this.#meter.used += Number(running.gasSpent);
  }

  get rules(): BlockRules {
    return this.#environment.rules;
  }

  get environment(): CallEnvironment {
    return this.#environment;
  }

  /** The most that the call offers for a unit of gas, wei; 0n when it offers no price. */
  get feeCap(): bigint {
    return this.#transaction.body.maxFeePerGas;
  }

  get call(): CallObject {
    return this.#call;
  }

  /** The call's own lists. */
  get lists(): CallLists {
    return this.#lists;
  }

  /** The block that a call sees which offers a price. */
  get block(): BlockEnvironment {
    return this.#environment.block;
  }

  /** Replaces the call, but for its lists. */
  useCall(call: CallObject): void {
    this.#call = call;
    this.#built = undefined;
  }

  /** Replaces the access list in the runs to come. */
  useAccessList(accessList: CallLists['accessList']): void {
    const built = this.#transaction;
    built.body.accessList = accessList;
    this.#built = { ...built, given: { ...built.given, hasAccessList: true } };
  }

  /** What is recorded in the runs to come. */
  record(what: Recording): void {
    this.#isRecording = true;
    this.#evm.record(what);
  }

  /** One of the accesses that were recorded; undefined when none is left. */
  takeAccess(): Access | undefined {
    return this.#evm.takeAccess();
  }

  getNonce(address: Uint8Array): bigint {
    return this.#evm.state.getNonce(address);
  }

  isPrecompile(address: Uint8Array): boolean {
    return this.#evm.state.getPrecompile(address) !== 0;
  }

  getBalance(address: Uint8Array): bigint {
    return this.#evm.state.getBalance(address);
  }

  hasCode(address: Uint8Array): boolean {
    return this.#evm.state.hasCode(address);
  }

  /** Begins a run; the one before is undone. @throws TransactionError when the call cannot even begin. */
  start(gasLimit: bigint): RunningTransaction {
    const evm = this.#evm;
    evm.rollbackTo(this.#mark);
    const { body, sender, given, isBlobFree } = this.#transaction;
    const { recoverPublicKey } = getCryptography();
    const { rules, block: natural, freeBlock } = this.#environment;
    const priced = body.maxFeePerGas === 0n ? freeBlock : natural;
    const block = isBlobFree ? { ...priced, blobBaseFee: 0n } : priced;
    body.gasLimit = gasLimit;
    return startTransaction(body, sender, { evm, block, rules, recoverPublicKey }, this.#mode, given);
  }

  get #transaction(): SimulatedTransaction {
    this.#built ??= buildCallTransaction(this.call, this.#environment.hasBaseFee, this.#lists);
    return this.#built;
  }
}
