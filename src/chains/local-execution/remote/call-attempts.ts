import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import {
  type PromiseOrValue,
  recoverWith,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError, createTimeout } from '../../../chain/errors.ts';
import { limitOf } from '../../../util/bounds.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import type { ExecutionPool } from '../../embedded/execution/execution-pool.ts';
import { SLICE_MS } from '../../embedded/execution/run-slice.ts';
import type { Simulator } from '../../embedded/simulation/simulator.ts';
import { MissingState } from '../../embedded/state/missing-state.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { StateCache } from '../proven/state-requests.ts';
import { addNeed, type CallRun, payForRun } from './call-run.ts';
import type { Collector } from './collector.ts';
import { Discoverer, type Discovery } from './discover.ts';
import { addMissing, GrowingExcerpt } from './excerpt.ts';
import type { MissedTime } from './missed-time.ts';
import type { RemoteChain } from './remote-block.ts';
import { LeftToNodes, leaveOutages } from './remote-blocks.ts';
import type { RemoteStateSource } from './state-source.ts';

/** Maximum number of round trips, and of restarts (`MAX_ATTEMPTS`), of one call. */
const MAX_ROUND_TRIPS = 8;
const MAX_ATTEMPTS = 16;
/**
 * Maximum number of accounts and slots whose proofs are requested for one call. For a call with more keys, a node has less work if it executes the
 * call than if it sends the proofs.
 */
const MAX_REQUESTED = limitOf('call.provenKeys');
/**
 * Maximum number of accounts and slots in a node's hint for a call. The maximum is higher than `MAX_REQUESTED`, because some accounts and slots of a
 * hint may be verified already.
 */
const MAX_HINTED = 2 * MAX_REQUESTED;
/**
 * Number of restarts after which a node is requested to report the call's reads. Without this report, each restart on a thread finds only one missing
 * read.
 */
const HINTED_ATTEMPTS = 2;
/**
 * Maximum time of the main thread for slices and discoveries of one call, milliseconds. A call that has used this time runs only on worker threads.
 */
const MAX_HERE_MS: number = 4 * SLICE_MS;

export type CallAttemptsOptions = {
  readonly source: RemoteStateSource;
  readonly pool: ExecutionPool;
  readonly chain: RemoteChain;
  readonly simulator: Simulator;
  readonly collector: Collector;
  readonly missedTime: MissedTime;
};

/**
 * Runs calls on verified state. When state is missing, requests it from nodes and restarts the call. Every slice and every discovery runs in a
 * scheduler slot of the call's owner, even if many calls have waited for the same state. A call that needs more than a slice stays on worker threads.
 */
export class CallAttempts {
  readonly #source: RemoteStateSource;
  readonly #proven: StateCache;
  readonly #pool: ExecutionPool;
  readonly #chain: RemoteChain;
  readonly #simulator: Simulator;
  readonly #collector: Collector;
  readonly #missedTime: MissedTime;
  readonly #discoverer: Discoverer;
  /** Total number of round trips for state, over all calls. */
  #roundTrips = 0;

  constructor({ source, pool, chain, simulator, collector, missedTime }: CallAttemptsOptions) {
    this.#source = source;
    this.#proven = source.requests.proven;
    this.#pool = pool;
    this.#chain = chain;
    this.#simulator = simulator;
    this.#collector = collector;
    this.#missedTime = missedTime;
    this.#discoverer = new Discoverer(this.#proven, pool.memoryLimit);
  }

  /** Total number of round trips for state, for metrics. */
  get roundTrips(): number {
    return this.#roundTrips;
  }

  /** Runs a call until it ends. @throws LeftToNodes if the state is unavailable or needs too many requests; also throws the call's own error */
  run(run: CallRun, scope: RequestScope): PromiseOrValue<HexData> {
    return recoverWith<HexData>(
      () =>
        run.excerpt === undefined ? this.#runHere(run, scope) : this.#runOnThread(run, run.excerpt, scope),
      (error) => {
        if (!(error instanceof MissingState)) throw describeOwnLimit(run, error, scope);
        addNeed(run.further, error.need);
        return this.#collectAndRetry(run, scope);
      },
    );
  }

  /**
   * Returns whether a call has restarted at least `HINTED_ATTEMPTS` times. After that many restarts, the reads of the call are recorded, and later
   * calls request them in advance.
   */
  static hasReadLate(run: CallRun): boolean {
    return run.attempts >= HINTED_ATTEMPTS;
  }

  #runHere(run: CallRun, scope: RequestScope): PromiseOrValue<HexData> {
    if (this.#chain.select(run.block)) this.#simulator.forgetEnvironment();
    const startedAt = performance.now();
    try {
      const result = this.#pool.runHere(run.job, this.#simulator, scope, startedAt);
      if (result !== undefined) return result;
    } catch (error) {
      if (error instanceof MissingState)
        this.#missedTime.note(scope.owner ?? '', performance.now() - startedAt);
      throw error;
    } finally {
      noteHere(run, performance.now() - startedAt);
    }
    run.excerpt = new GrowingExcerpt(run.block);
    return this.#runOnThread(run, run.excerpt, scope);
  }

  /** Runs a call on a worker thread, with the verified values of its known reads. */
  async #runOnThread(run: CallRun, growing: GrowingExcerpt, scope: RequestScope): Promise<HexData> {
    const owner = scope.owner ?? '';
    if (run.isGuessed && run.hereMs < MAX_HERE_MS)
      await SCHEDULER.take(owner, () => this.#discover(run, scope));
    for (const keys of [run.read, run.further]) await SCHEDULER.run(owner, growing.add(keys, this.#proven));
    return this.#pool.runOnThread({ ...run.job, store: growing.excerpt }, scope);
  }

  async #collectAndRetry(run: CallRun, scope: RequestScope): Promise<HexData> {
    const owner = scope.owner ?? '';
    const { block, request, further } = run;
    if (++run.attempts > MAX_ATTEMPTS || run.roundTrips > MAX_ROUND_TRIPS) throw new LeftToNodes('unsettled');
    const { missing, isBlind } = await this.#findMissing(run, scope);
    // Reads that only a thread has found occur late in the call, and further such reads may follow.
    const isLate = await SCHEDULER.run(
      owner,
      addMissing(further, block, this.#proven, missing, MAX_REQUESTED - run.requested),
    );
    // All known reads are verified. A worker thread finds each further read only by a restart of the call.
    const isUnforeseen = missing.isEmpty && !run.isHinted && CallAttempts.hasReadLate(run);
    if (missing.isEmpty && !isUnforeseen) return SCHEDULER.take(owner, () => this.run(run, scope));
    run.requested += missing.size;
    if (run.requested > MAX_REQUESTED) throw new LeftToNodes('unsettled', 'call.provenKeys');
    run.roundTrips++;
    await payForRun(run, scope);
    this.#roundTrips++;
    const hint = !run.isHinted && (isBlind || isLate || isUnforeseen) ? request : undefined;
    run.isHinted ||= hint !== undefined;
    const hinted = await leaveOutages(this.#source, this.#collector.collect(block, { missing, hint }, scope));
    if (hinted === undefined) throw new LeftToNodes('unproven');
    if (hinted.size > MAX_HINTED) throw new LeftToNodes('unsettled', 'call.provenKeys');
    further.merge(hinted);
    return SCHEDULER.take(owner, () => this.run(run, scope));
  }

  /**
   * Finds the accounts, slots and codes that the call reads and that are not verified yet, by running the call on guessed state (`Discoverer`). If
   * the call runs on worker threads, checks only the reads that earlier discoveries have found.
   */
  async #findMissing(run: CallRun, scope: RequestScope): Promise<Pick<Discovery, 'missing' | 'isBlind'>> {
    const owner = scope.owner ?? '';
    if (run.excerpt === undefined && run.hereMs < MAX_HERE_MS)
      return SCHEDULER.take(owner, () => this.#discover(run, scope));
    run.excerpt ??= new GrowingExcerpt(run.block);
    const missing = new StateKeys();
    await SCHEDULER.run(
      owner,
      addMissing(run.read, run.block, this.#proven, missing, MAX_REQUESTED - run.requested),
    );
    return { missing, isBlind: false };
  }

  #discover(run: CallRun, scope: RequestScope): Discovery {
    const startedAt = performance.now();
    const discovery = this.#discoverer.discover(run.job, run.block);
    const ms = performance.now() - startedAt;
    this.#pool.charge(scope, ms);
    noteHere(run, ms);
    run.isGuessed = !discovery.missing.isEmpty;
    run.read.merge(discovery.read);
    return discovery;
  }
}

/**
 * Converts `busy` to a timeout for a restarted call at its deadline. The time of a restarted call is used up by requests to nodes, not by the queue.
 */
function describeOwnLimit(
  { attempts }: CallRun,
  error: unknown,
  { deadline, limitMs }: RequestScope,
): unknown {
  const isBusy = error instanceof ChainError && error.kind === 'busy';
  return isBusy && attempts > 0 && performance.now() >= deadline ? createTimeout(limitMs) : error;
}

/** Adds main-thread time to a run. Counts at most one slice, because a longer time is caused by the machine or by the first use of code. */
function noteHere(run: CallRun, ms: number): void {
  run.hereMs += Math.min(ms, SLICE_MS);
}
