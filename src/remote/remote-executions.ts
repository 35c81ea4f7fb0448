import type { BlockReference, CallRequest } from '../chain/chain.ts';
import type { ChainConfig } from '../chain/chain-config.ts';
import { ChainError } from '../chain/errors.ts';
import { headerFromRlp } from '../chain/header.ts';
import type { ExecutionPool } from '../engine/execution/execution-pool.ts';
import type { CallJob } from '../engine/execution/job.ts';
import type { SimulationKind } from '../engine/simulation/call-environment.ts';
import { needsTip } from '../engine/simulation/fill-fees.ts';
import { Simulator } from '../engine/simulation/simulator.ts';
import { MissingState } from '../engine/state/missing-state.ts';
import type { StateExcerpt } from '../engine/state/state-excerpt.ts';
import type { ExecutionFigures } from '../observe/sources.ts';
import { bytesToHex, hexToBytes } from '../primitives/hex.ts';
import { encodeHexData, type HexData, streamBytes } from '../primitives/hex-data.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue, recoverWith } from '../primitives/promise-or-value.ts';
import { decodeRlp } from '../primitives/rlp.ts';
import { Lru } from '../util/lru.ts';
import { RequestScope } from '../util/request-scope.ts';
import { Codes, type CodeTable } from './codes.ts';
import { Collector } from './collector.ts';
import { Discoverer, type Discovery } from './discover.ts';
import { addMissing, createExcerpt } from './excerpt.ts';
import { ForkRules } from './fork-rules.ts';
import { ProvenStates } from './proven-states.ts';
import { type Proven, type RemoteBlock, RemoteChain } from './remote-block.ts';
import { StateKeys } from './state-keys.ts';
import type { Place, StateSource } from './state-source.ts';

export type RemoteOptions = {
  readonly source: StateSource;
  readonly pool: ExecutionPool;
  /** Rules of the chain, where they are configured. */
  readonly config: ChainConfig | undefined;
  /** That proven state may take in memory. */
  readonly stateBytes: number;
  /** Where codes are kept on disk. */
  readonly codes: CodeTable | undefined;
  /** Called with faults of this program. */
  readonly onFault: (error: unknown) => void;
};

/** Why calls were asked of nodes. */
export type LeaveReason = 'block' | 'fees' | 'rules' | 'unproven' | 'unsettled';

const MAX_BLOCKS = 512;
/** After this many consecutive calls at a block fail for lack of proofs, calls at that block go to the nodes for this long. */
const REFUSED_MS = 10_000;
const MAX_UNPROVEN = 3;
/** The memory for codes, as a part of that for state. */
const CODES_SHARE = 0.5;
/** New heads are followed for so long after a call. */
const IDLE_MS = 60_000;
const WARMING_DECAY = 0.9;
/** How long nodes are asked for the rules of the chain, and where no two told the same how long afterwards they are asked again. */
const RULES_LIMIT_MS = 3_000;
const RULES_PAUSE_MS = 60_000;
/** Trips of one call, and times that it begins anew. */
const MAX_TRIPS = 8;
const MAX_ATTEMPTS = 16;
/** Accounts and slots that nodes have to prove for one call: a node has its answer with less work where there are more. */
const MAX_ASKED = 2_048;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
/** The cap on a call's gas, in units of the head's gas limit (spec 8). */
const GAS_CAP_FACTOR = 10n;

/** A call is the nodes' to answer. */
class LeftToNodes extends Error {
  readonly reason: LeaveReason;

  constructor(reason: LeaveReason) {
    super(reason);
    this.reason = reason;
  }
}

/** A call on its way. */
type Run = {
  readonly job: CallJob<undefined>;
  readonly block: RemoteBlock;
  readonly request: CallRequest;
  /** What is needed beside what a discovery finds. */
  readonly further: StateKeys;
  trips: number;
  attempts: number;
  /** Accounts and slots that were asked for. */
  asked: number;
  isHinted: boolean;
};

/** A call at a block that may not be known yet, and what a node says that it would access. */
type FirstCall = { readonly request: CallRequest; readonly hinted: StateKeys };

/** Executes calls on the state that nodes prove. */
export class RemoteExecutions {
  readonly #options: RemoteOptions;
  readonly #proven: Proven;
  readonly #chain: RemoteChain;
  readonly #simulator: Simulator;
  readonly #discoverer: Discoverer;
  readonly #collector: Collector;
  readonly #rules: ForkRules;
  readonly #blocks = new Lru<string, RemoteBlock>(MAX_BLOCKS, Number.POSITIVE_INFINITY);
  readonly #fetching = new Map<string, Promise<RemoteBlock>>();
  readonly #left: Record<LeaveReason, number> = { block: 0, fees: 0, rules: 0, unproven: 0, unsettled: 0 };
  /** Why calls at a block are left to nodes, by its hash. */
  readonly #refused = new Lru<string, LeaveReason>(MAX_BLOCKS, REFUSED_MS);
  /** Consecutive calls that failed for lack of proofs. */
  #unproven = 0;
  /** From when on nodes may be asked for the rules, on the clock of `performance.now()`. */
  #rulesAt = 0;
  #executed = 0;
  #warmed = 0;
  /** Of calls. */
  #trips = 0;
  /** When the head came, on the clock of `performance.now()`, and how long it took last to prove what is read of a head. */
  #headAt = Number.NEGATIVE_INFINITY;
  #warmingMs = 0;
  /** When a call came last, on the clock of `performance.now()`. */
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteOptions) {
    const { source, pool, config, stateBytes, codes } = options;
    this.#options = options;
    this.#proven = {
      states: new ProvenStates(stateBytes * (1 - CODES_SHARE)),
      codes: new Codes(stateBytes * CODES_SHARE, codes, options.onFault),
    };
    this.#chain = new RemoteChain(this.#proven);
    this.#simulator = new Simulator(this.#chain, pool.memoryLimit, pool.meter);
    this.#discoverer = new Discoverer(this.#proven, pool.memoryLimit);
    this.#collector = new Collector(source, this.#proven);
    this.#rules = new ForkRules(source.chainId, config);
  }

  describe(): ExecutionFigures {
    const trips = this.#trips;
    const { bytes } = this.#proven.states;
    return {
      state: 'local',
      executed: this.#executed,
      warmed: this.#warmed,
      trips,
      bytes,
      left: { ...this.#left },
    };
  }

  /**
   * @returns the result as JSON; undefined where nodes have to be asked
   * @throws ChainError with geth's texts, as the embedded chain does
   */
  execute(
    kind: SimulationKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined> {
    return recoverWith<JsonResult | undefined>(
      () => this.#execute(kind, request, scope),
      (error) => {
        if (!(error instanceof LeftToNodes)) throw error;
        this.#left[error.reason]++;
        return undefined;
      },
    );
  }

  /** Gets ready for calls at a block that has just become the head, as long as there are calls. */
  noteHead(place: Place): void {
    const now = performance.now();
    if (now > this.#usedAt + IDLE_MS) return;
    const sinceHead = now - this.#headAt;
    this.#headAt = now;
    this.#warmUp(place, sinceHead).catch((error: unknown) => {
      if (!(error instanceof LeftToNodes)) this.#options.onFault(error);
    });
  }

  /** Asks for the header of a new head, and for what calls at it are likely to read where that takes less time than there is between heads. */
  async #warmUp(place: Place, sinceHead: number): Promise<void> {
    const scope = new RequestScope(performance.now() + IDLE_MS);
    const block = await this.#findBlock(place, undefined, scope);
    const chain = this.#chain;
    if (chain.headRoot === block.stateRoot) return;
    const hot = chain.hot.rotate();
    chain.headRoot = block.stateRoot;
    const missing = new StateKeys();
    addMissing(hot, block, this.#proven, missing);
    if (missing.isEmpty || sinceHead < this.#warmingMs) {
      // It may be faster by now.
      this.#warmingMs *= WARMING_DECAY;
      return;
    }
    const startedAt = performance.now();
    await this.#ask(this.#collector.collect(block, { missing }, scope));
    this.#warmingMs = performance.now() - startedAt;
    this.#warmed++;
  }

  #execute(kind: SimulationKind, request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    if (kind === 'accessList' && needsTip(request.call)) throw new LeftToNodes('fees');
    const { source } = this.#options;
    this.#usedAt = scope.startedAt;
    return continueWith(this.#ask(source.locate(request.block, scope)), (place) => {
      if (place === undefined) throw new LeftToNodes('block');
      const refused = this.#refused.get(place.hash);
      if (refused !== undefined) throw new LeftToNodes(refused);
      return recoverWith<JsonResult>(
        () => this.#executeAt(place, kind, request, scope),
        (error) => {
          if (error instanceof LeftToNodes) this.#noteLeft(place, error.reason);
          throw error;
        },
      );
    });
  }

  #executeAt(
    place: Place,
    kind: SimulationKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    const hinted = new StateKeys();
    return continueWith(this.#findBlocks(place, { request, hinted }, scope), ([block, head]) => {
      const run = createRun(kind, request, block, head.stored.header.gasLimit * GAS_CAP_FACTOR, hinted);
      this.#chain.headRoot ??= head.stateRoot;
      const noteEnd = (): void => {
        this.#executed++;
        this.#unproven = 0;
        this.#options.source.noteExecuted(place, request.block.kind === 'hash', block.whyUnproven, scope);
      };
      const result = recoverWith<HexData>(
        () => this.#attempt(run, scope),
        (error) => {
          // Its own failure is an answer.
          if (error instanceof ChainError) noteEnd();
          throw error;
        },
      );
      return continueWith(result, (value) => {
        noteEnd();
        return encodeResult(kind, value);
      });
    });
  }

  /** Where nothing can be executed at a block, further calls at it are not tried for a while. */
  #noteLeft({ hash }: Place, reason: LeaveReason): void {
    if (reason === 'unproven') this.#unproven++;
    if (reason === 'rules' || this.#unproven >= MAX_UNPROVEN) this.#refused.set(hash, reason);
  }

  /** Runs a call; where it misses something, asks for that and begins anew. */
  #attempt(run: Run, scope: RequestScope): PromiseOrValue<HexData> {
    const { pool } = this.#options;
    return recoverWith<HexData>(
      () => {
        if (this.#chain.select(run.block)) this.#simulator.forgetEnvironment();
        const job = { ...run.job, store: () => this.#excerpt(run, scope) };
        return pool.run(job, this.#simulator, scope);
      },
      (error) => {
        if (!(error instanceof MissingState)) throw error;
        run.further.add(error.need);
        return this.#collectAndRetry(run, scope);
      },
    );
  }

  async #collectAndRetry(run: Run, scope: RequestScope): Promise<HexData> {
    const { block, request, further } = run;
    if (++run.attempts > MAX_ATTEMPTS || run.trips > MAX_TRIPS) throw new LeftToNodes('unsettled');
    const { missing, isBlind } = this.#discover(run, scope);
    // What only a thread has met comes late: there may be more of it.
    const isLate = addMissing(further, block, this.#proven, missing);
    if (missing.isEmpty) return this.#attempt(run, scope);
    run.asked += missing.size;
    if (run.asked > MAX_ASKED) throw new LeftToNodes('unsettled');
    run.trips++;
    this.#trips++;
    const hint = !run.isHinted && (isBlind || isLate) ? request : undefined;
    run.isHinted ||= hint !== undefined;
    const hinted = await this.#ask(this.#collector.collect(block, { missing, hint }, scope));
    further.merge(hinted);
    return this.#attempt(run, scope);
  }

  /** What a thread needs of a run's state. */
  #excerpt(run: Run, scope: RequestScope): StateExcerpt {
    const { read } = this.#discover(run, scope);
    read.merge(run.further);
    return createExcerpt(run.block, read, this.#proven);
  }

  #discover({ job, block }: Run, scope: RequestScope): Discovery {
    const startedAt = performance.now();
    const discovery = this.#discoverer.discover(job, block);
    this.#options.pool.charge(scope, performance.now() - startedAt);
    return discovery;
  }

  /** Loads the headers of the call's block and of the head; the head's gas limit sets the gas cap (spec 8). */
  #findBlocks(
    place: Place,
    first: FirstCall,
    scope: RequestScope,
  ): PromiseOrValue<readonly [block: RemoteBlock, head: RemoteBlock]> {
    const head = continueWith(this.#ask(this.#options.source.locate(LATEST, scope)), (latest = place) =>
      latest.hash === place.hash ? undefined : this.#findBlock(latest, undefined, scope),
    );
    const block = this.#findBlock(place, first, scope);
    if (head instanceof Promise || block instanceof Promise)
      return Promise.all([block, head]).then(([own, other]) => [own, other ?? own]);
    return [block, head ?? block];
  }

  /** @param first a call at it: where it is unknown as the block is, a node is asked in the same trip what it would access */
  #findBlock(place: Place, first: FirstCall | undefined, scope: RequestScope): PromiseOrValue<RemoteBlock> {
    const known = this.#blocks.get(place.hash) ?? this.#fetching.get(place.hash);
    if (known !== undefined) return known;
    const fetched = this.#fetchBlock(place, first, scope).finally(() => this.#fetching.delete(place.hash));
    this.#fetching.set(place.hash, fetched);
    return fetched;
  }

  async #fetchBlock(place: Place, first: FirstCall | undefined, scope: RequestScope): Promise<RemoteBlock> {
    const collector = this.#collector;
    const trip = collector.beginTrip(scope);
    if (first !== undefined) this.#trips++;
    const to = first?.request.call.to;
    const isUnknown =
      first !== undefined && (to === undefined || this.#proven.states.latestOf(to) === undefined);
    const hinting = isUnknown ? collector.askHint(first.request, place, trip) : undefined;
    const telling = this.#mayAskRules(0n) ? this.#askRules(place, trip) : undefined;
    const [encoded, hinted] = await this.#ask(
      Promise.all([collector.askHeader(place, trip), hinting, telling]),
    );
    const header = headerFromRlp(decodeRlp(encoded));
    if (telling === undefined && this.#mayAskRules(header.timestamp))
      await this.#ask(this.#askRules(place, collector.beginTrip(scope)));
    const rules = this.#rules.find(header);
    if (rules === undefined) throw new LeftToNodes('rules');
    if (hinted !== undefined) first?.hinted.merge(hinted);
    const hash = hexToBytes(place.hash);
    const block: RemoteBlock = {
      ...rules,
      stored: { header, hash, hashText: place.hash, totalDifficulty: 0n },
      stateRoot: bytesToHex(header.stateRoot),
      blockHashes: new Map([[header.number - 1n, header.parentHash]]),
    };
    this.#blocks.set(place.hash, block);
    return block;
  }

  #mayAskRules(timestamp: bigint): boolean {
    return this.#rules.needsTelling(timestamp) && performance.now() >= this.#rulesAt;
  }

  /** Asks one node after the other until two tell the same rules, not for long: nodes need not have `eth_config`. */
  async #askRules(place: Place, trip: RequestScope): Promise<void> {
    const { source } = this.#options;
    this.#rulesAt = performance.now() + RULES_PAUSE_MS;
    const scope = trip.derive({ deadline: performance.now() + RULES_LIMIT_MS });
    const answers: unknown[] = [];
    let isAgreed = false;
    for await (const { answer } of source.survey(
      { method: 'eth_config', encode: () => '[]' },
      place,
      scope,
    )) {
      if (typeof answer !== 'string') continue;
      answers.push(JSON.parse(answer));
      isAgreed = this.#rules.note(answers);
      if (isAgreed) break;
    }
    if (isAgreed) this.#rulesAt = 0;
  }

  /** An outage of nodes leaves the call to those that may yet answer it. */
  #ask<T>(answer: PromiseOrValue<T>): PromiseOrValue<T> {
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw this.#options.source.isOutage(error) ? new LeftToNodes('unproven') : error;
    });
  }
}

function createRun(
  kind: SimulationKind,
  request: CallRequest,
  block: RemoteBlock,
  gasLimit: bigint,
  further: StateKeys,
): Run {
  const { number } = block.stored.header;
  const { call, stateOverrides, blockOverrides } = request;
  const job: CallJob<undefined> = {
    kind,
    store: undefined,
    gasLimit,
    request: {
      blockNumber: number,
      isPending: false,
      call,
      ...(stateOverrides !== undefined && { stateOverrides }),
      ...(blockOverrides !== undefined && { blockOverrides }),
    },
  };
  return { job, block, request, further, trips: 0, attempts: 0, asked: 0, isHinted: !further.isEmpty };
}

function encodeResult(kind: SimulationKind, result: HexData): JsonResult {
  if (kind !== 'accessList') return encodeHexData(result);
  return typeof result === 'string' ? result : streamBytes(result);
}
