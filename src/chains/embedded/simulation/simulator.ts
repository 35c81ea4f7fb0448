import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import type {
  BlockEnvironment,
  Recording,
  StateAccess,
} from '../../../../packages/evm/interpreter/message.ts';
import { hasPrecompile } from '../../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { startTransaction } from '../../../../packages/evm/transition/apply-transaction.ts';
import type { BlockRules } from '../../../../packages/evm/transition/rules.ts';
import type { RunningTransaction } from '../../../../packages/evm/transition/running-transaction.ts';
import type { TransactionMode } from '../../../../packages/evm/transition/transaction-modes.ts';
import type { BlockOverrides, CallObject, StateOverrides } from '../../../chain/requests.ts';
import { DEFAULT_MEMORY_LIMIT } from '../../../engine/create-evm.ts';
import { getCryptography } from '../../../engine/node-cryptography.ts';
import type { ChainReader } from '../store/chain-reader.ts';
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

/** Block after which a call executes. */
export type StateAt = {
  /** Number of the block whose post-state the call reads. */
  readonly blockNumber: bigint;
  /** True if number, time and base fee are those of the next block (`pending`); otherwise, they are those of `blockNumber`. */
  readonly isPending: boolean;
};

/** Call with its block and overrides. */
export type SimulationRequest = StateAt & {
  readonly call: CallObject;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/** Upper bound for the gas of every call, whatever its `gas` field and the block gas limit. Interpreting this much gas takes several seconds. */
export const MAX_CALL_GAS: bigint = 2n ** 32n;

/** Handling of precompile overrides as in geth, per kind of simulation. */
const PRECOMPILES: Readonly<Record<SimulationKind, PrecompileHandling>> = {
  call: 'movable',
  estimate: 'checked',
  accessList: 'fixed',
};

/**
 * EIP-8037 limits the gas of a transaction. An estimate applies these limits, because it predicts the gas limit of a transaction. Only a call may use
 * all its gas for execution.
 */
const MODES: Readonly<Record<SimulationKind, TransactionMode>> = {
  call: 'simulated',
  estimate: 'estimated',
  accessList: 'estimated',
};

/** Number of recorded accesses that one step drops, in 0.3 ms. */
const ACCESSES_PIECE = 1_024;

type KnownEnvironment = {
  readonly block: bigint;
  readonly isPending: boolean;
  readonly environment: CallEnvironment;
};

/** Executes calls on the states of blocks. Any number of calls may be in progress, each in a separate EVM. */
export class Simulator {
  readonly #chain: SimulatedChain;
  readonly #evms: EvmPool;
  readonly #meter: GasMeter;
  /** Environment of the last call without block overrides. */
  #last: KnownEnvironment | undefined;

  /**
   * @param memoryLimit bytes of memory that one execution may use
   * @param meter counter to which the gas of finished runs is added
   * @param evms EVM pool; several simulators may share it
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

  /** Prepares the environment and an EVM for a call. The call may run many times, always from the initial state. */
  open(request: SimulationRequest, kind: SimulationKind): Simulation {
    const environment = this.environmentOf(request, kind);
    const entry = this.acquire(request.blockNumber);
    return new Simulation(request.call, entry, environment, MODES[kind], this.#meter);
  }

  /** Store of the chain, for work that also reads blocks or tries. @throws Error when the chain has no store */
  get reader(): ChainReader {
    const { store } = this.#chain;
    if (store === undefined) throw new Error('the chain has no store: only its states can be read');
    return store;
  }

  /** Returns an EVM on the state after a block; the caller must release the EVM. */
  acquire(blockNumber: bigint): PooledEvm {
    return this.#evms.acquire(this.#chain.openState(blockNumber));
  }

  /** Returns an EVM to the pool; its cached state is cleared if no further call can use that state. */
  release(entry: PooledEvm): void {
    if (this.#chain.isForOneCall === true) this.#evms.releaseUnknown(entry);
    else this.#evms.release(entry);
  }

  /** Drops the cached block environment. Must be called when another block replaces a block at which calls executed. */
  forgetEnvironment(): void {
    this.#last = undefined;
  }

  /** Counter of the gas of finished runs. */
  get meter(): GasMeter {
    return this.#meter;
  }

  /** EVM pool, for executions on private states. */
  get evms(): EvmPool {
    return this.#evms;
  }

  /** Returns a simulation's EVM to the pool. */
  close(simulation: Simulation): void {
    this.release(simulation.close());
  }

  /** Returns the fork rules and the block environment for calls at a block. @throws Error when the block is not stored */
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

/** A call in its EVM. Every run starts from the same state, which is the block's state with state overrides. */
export class Simulation {
  #call: CallObject;
  readonly #entry: PooledEvm;
  readonly #evm: Evm;
  readonly #environment: CallEnvironment;
  readonly #mode: TransactionMode;
  readonly #meter: GasMeter;
  /** Checkpoint after the state overrides, to which every run is rolled back. */
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
   * Decodes the call's lists and applies state overrides. Must be called before the first run of a call that has lists or state overrides.
   * @throws ChainError with geth's text for contradictory overrides
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

  /**
   * Returns whether the call has neither access list nor authorizations nor blob hashes. `prepare` is unnecessary for a call without access list,
   * authorizations, blob hashes and state overrides.
   */
  get isPlain(): boolean {
    const { accessList, authorizationList, blobVersionedHashes } = this.call;
    return accessList === undefined && authorizationList === undefined && blobVersionedHashes === undefined;
  }

  /** Undoes some changes of the previous run. @returns whether all changes of the previous run are undone, so that the next `start` is fast */
  undoRunPiece(): boolean {
    return this.#evm.rollbackPiece(this.#mark);
  }

  /** Undoes some changes of runs and overrides. @returns whether all changes are undone, so that the simulation may be closed */
  undoPiece(): boolean {
    return (!this.#isRecording || this.#dropAccesses()) && this.#evm.abandon();
  }

  /** Drops up to `ACCESSES_PIECE` recorded accesses that `takeAccess` has not returned. @returns whether no accesses are left */
  #dropAccesses(): boolean {
    for (let left = ACCESSES_PIECE; left > 0; left--) if (this.#evm.takeAccess() === undefined) return true;
    return false;
  }

  /** Ends the simulation. @returns the EVM, which the caller must release */
  close(): PooledEvm {
    if (this.#isRecording) this.#evm.record('nothing');
    return this.#entry;
  }

  /** Growth of the EVM's memory since the simulation began, bytes. */
  get memoryGrowth(): number {
    return this.#evm.memoryPeak - this.#entry.bytes;
  }

  /** Adds the gas of a finished run to the meter; must be called at the end of each run. */
  noteEnd(running: RunningTransaction): void {
    this.#meter.used += Number(running.gasSpent);
  }

  get rules(): BlockRules {
    return this.#environment.rules;
  }

  get environment(): CallEnvironment {
    return this.#environment;
  }

  /** Maximum price per gas that the call offers, wei; 0n when it offers none. */
  get feeCap(): bigint {
    return this.#transaction.body.maxFeePerGas;
  }

  get call(): CallObject {
    return this.#call;
  }

  get lists(): CallLists {
    return this.#lists;
  }

  /** Block environment for a call that offers a price. */
  get block(): BlockEnvironment {
    return this.#environment.block;
  }

  /** Replaces the call. Access list, authorizations and blob hashes of the previous call remain. */
  useCall(call: CallObject): void {
    this.#call = call;
    this.#built = undefined;
  }

  /** Replaces the access list for the following runs. */
  useAccessList(accessList: CallLists['accessList']): void {
    const built = this.#transaction;
    built.body.accessList = accessList;
    this.#built = { ...built, provided: { ...built.provided, hasAccessList: true } };
  }

  /** Selects the data that the following runs record, for example `accesses`. */
  record(what: Recording): void {
    this.#isRecording = true;
    this.#evm.record(what);
  }

  /** Removes and returns one recorded access; undefined when all of them were returned. */
  takeAccess(): StateAccess | undefined {
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

  /** Undoes the previous run and starts a new one. @throws TransactionError when the call cannot begin */
  start(gasLimit: bigint): RunningTransaction {
    const evm = this.#evm;
    evm.rollbackTo(this.#mark);
    const { body, sender, provided, isBlobFree } = this.#transaction;
    const { recoverPublicKey } = getCryptography();
    const { rules, block: natural, freeBlock } = this.#environment;
    const priced = body.maxFeePerGas === 0n ? freeBlock : natural;
    const block = isBlobFree ? { ...priced, blobBaseFee: 0n } : priced;
    body.gasLimit = gasLimit;
    return startTransaction(body, sender, { evm, block, rules, recoverPublicKey }, this.#mode, provided);
  }

  get #transaction(): SimulatedTransaction {
    this.#built ??= buildCallTransaction(this.call, this.#environment.hasBaseFee, this.#lists);
    return this.#built;
  }
}
