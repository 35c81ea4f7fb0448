import { ChainError, createTimeout } from '../chain/errors.ts';
import type { ExecutionPool } from '../engine/execution/execution-pool.ts';
import { SLICE_MS } from '../engine/execution/run-slice.ts';
import type { Simulator } from '../engine/simulation/simulator.ts';
import { MissingState } from '../engine/state/missing-state.ts';
import type { HexData } from '../primitives/hex-data.ts';
import { type PromiseOrValue, recoverWith } from '../primitives/promise-or-value.ts';
import { StateKeys } from '../proven/state-keys.ts';
import type { Proven } from '../proven/state-requests.ts';
import { limitOf } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { TURNS } from '../util/turn-queue.ts';
import { addNeed, type CallRun, payForRun } from './call-run.ts';
import type { Collector } from './collector.ts';
import { Discoverer, type Discovery } from './discover.ts';
import { addMissing, GrowingExcerpt } from './excerpt.ts';
import type { MissedTime } from './missed-time.ts';
import type { RemoteChain } from './remote-block.ts';
import { LeftToNodes, leaveOutages } from './remote-blocks.ts';
import type { StateSource } from './state-source.ts';

/** Trips of one call, and times that it begins anew. */
const MAX_TRIPS = 8;
const MAX_ATTEMPTS = 16;
/** Accounts and slots that nodes have to prove for one call: a node has its answer with less work where there are more. */
const MAX_ASKED = limitOf('call.provenKeys');
/** Accounts and slots that are taken from a node's access list of a call: some of them may be proven already. */
const MAX_HINTED = 2 * MAX_ASKED;
/** At how many beginnings a node is asked what a call reads that only threads find out, one part at a time. */
const HINTED_ATTEMPTS = 2;
/** What slices and discoveries of one call may take of the thread of the requests, milliseconds: then it runs on threads, and finds there what it reads. */
const MAX_HERE_MS: number = 4 * SLICE_MS;

export type CallAttemptsOptions = {
  readonly source: StateSource;
  readonly pool: ExecutionPool;
  readonly chain: RemoteChain;
  readonly simulator: Simulator;
  readonly collector: Collector;
  readonly missedTime: MissedTime;
};

/**
 * Runs calls on proven state: what one misses is asked for, and it begins anew. Every slice and every discovery has a turn of the call's
 * owner, however many calls have waited for the same. A call that a slice is not enough for stays on threads.
 */
export class CallAttempts {
  readonly #source: StateSource;
  readonly #proven: Proven;
  readonly #pool: ExecutionPool;
  readonly #chain: RemoteChain;
  readonly #simulator: Simulator;
  readonly #collector: Collector;
  readonly #missedTime: MissedTime;
  readonly #discoverer: Discoverer;
  /** Of all calls. */
  #trips = 0;

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

  /** Trips that were made for state. */
  get trips(): number {
    return this.#trips;
  }

  /** @throws LeftToNodes; what the call itself fails with */
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

  /** Whether a call has read behind its first slice what may be asked for at once the next time. */
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

  /** With what it is known to read, as far as that is proven. */
  async #runOnThread(run: CallRun, growing: GrowingExcerpt, scope: RequestScope): Promise<HexData> {
    const owner = scope.owner ?? '';
    if (run.isGuessed && run.hereMs < MAX_HERE_MS) await TURNS.take(owner, () => this.#discover(run, scope));
    for (const keys of [run.read, run.further]) await TURNS.run(owner, growing.add(keys, this.#proven));
    return this.#pool.runOnThread({ ...run.job, store: growing.excerpt }, scope);
  }

  async #collectAndRetry(run: CallRun, scope: RequestScope): Promise<HexData> {
    const owner = scope.owner ?? '';
    const { block, request, further } = run;
    if (++run.attempts > MAX_ATTEMPTS || run.trips > MAX_TRIPS) throw new LeftToNodes('unsettled');
    const { missing, isBlind } = await this.#findMissing(run, scope);
    // What only a thread has met comes late: there may be more of it.
    const isLate = await TURNS.run(
      owner,
      addMissing(further, block, this.#proven, missing, MAX_ASKED - run.asked),
    );
    // All that is known to be read is proven: a thread met something else.
    const isUnforeseen = missing.isEmpty && !run.isHinted && CallAttempts.hasReadLate(run);
    if (missing.isEmpty && !isUnforeseen) return TURNS.take(owner, () => this.run(run, scope));
    run.asked += missing.size;
    if (run.asked > MAX_ASKED) throw new LeftToNodes('unsettled', 'call.provenKeys');
    run.trips++;
    await payForRun(run, scope);
    this.#trips++;
    const hint = !run.isHinted && (isBlind || isLate || isUnforeseen) ? request : undefined;
    run.isHinted ||= hint !== undefined;
    const hinted = await leaveOutages(this.#source, this.#collector.collect(block, { missing, hint }, scope));
    if (hinted === undefined) throw new LeftToNodes('unproven');
    if (hinted.size > MAX_HINTED) throw new LeftToNodes('unsettled', 'call.provenKeys');
    further.merge(hinted);
    return TURNS.take(owner, () => this.run(run, scope));
  }

  /** By a discovery; of a call on threads by what was found before. */
  async #findMissing(run: CallRun, scope: RequestScope): Promise<Pick<Discovery, 'missing' | 'isBlind'>> {
    const owner = scope.owner ?? '';
    if (run.excerpt === undefined && run.hereMs < MAX_HERE_MS)
      return TURNS.take(owner, () => this.#discover(run, scope));
    run.excerpt ??= new GrowingExcerpt(run.block);
    const missing = new StateKeys();
    await TURNS.run(owner, addMissing(run.read, run.block, this.#proven, missing, MAX_ASKED - run.asked));
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

/** A call that has begun before has used up its time by asking nodes: what it meets at its deadline is its own limit, and not a queue. */
function describeOwnLimit(
  { attempts }: CallRun,
  error: unknown,
  { deadline, limitMs }: RequestScope,
): unknown {
  const isBusy = error instanceof ChainError && error.kind === 'busy';
  return isBusy && attempts > 0 && performance.now() >= deadline ? createTimeout(limitMs) : error;
}

/** What goes beyond a slice is the machine's doing, or a first use of something. */
function noteHere(run: CallRun, ms: number): void {
  run.hereMs += Math.min(ms, SLICE_MS);
}
