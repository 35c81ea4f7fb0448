import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import { type CallBytes, LATEST_BLOCK } from '../../../../packages/ethereum/primitives/call-bytes.ts';
import {
  encodeHexData,
  type HexData,
  streamBytes,
} from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../../chain/requests.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { ExecutionFigures } from '../../../observe/sources.ts';
import { describeBoundRefusal } from '../../../util/bounds.ts';
import { Lru } from '../../../util/lru.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import type { ExecutionPool } from '../../embedded/execution/execution-pool.ts';
import type { StoredPlace } from '../../embedded/execution/fast-path-job.ts';
import type { SimulationKind } from '../../embedded/simulation/call-environment.ts';
import { gasToBegin } from '../../embedded/simulation/fast-path-call.ts';
import { needsTip } from '../../embedded/simulation/fill-fees.ts';
import { MAX_CALL_GAS, Simulator } from '../../embedded/simulation/simulator.ts';
import { MissingState } from '../../embedded/state/missing-state.ts';
import { StateKeys } from '../proven/state-keys.ts';
import { CallAttempts } from './call-attempts.ts';
import { createRun } from './call-run.ts';
import { Collector } from './collector.ts';
import { DeferredReads } from './deferred-reads.ts';
import { FetchedRules } from './fetched-rules.ts';
import { ForkRules } from './fork-rules.ts';
import { MissedTime } from './missed-time.ts';
import { type RemoteBlock, RemoteChain } from './remote-block.ts';
import {
  type FirstCall,
  LATEST,
  type LeaveReason,
  LeftToNodes,
  leaveOutages,
  RemoteBlocks,
} from './remote-blocks.ts';
import type { Place, RemoteStateSource } from './state-source.ts';

export type RemoteOptions = {
  readonly source: RemoteStateSource;
  readonly pool: ExecutionPool;
  /** Configured rules of the chain; undefined if they are not configured. */
  readonly config: ChainConfig | undefined;
  readonly network: string;
  /** True if unverified answers are not allowed, so that nodes must not execute calls. */
  readonly isOnlyHere?: boolean;
  readonly log: Logger;
  /** Called with internal errors of the gateway. */
  readonly onFault: (error: unknown) => void;
};

const MAX_BLOCKS = 512;
/**
 * Time for which all calls at a block are left to nodes, milliseconds. The time starts when a call at the block lacks rules. The time also starts
 * when a call lacks proofs, if at least `MAX_UNVERIFIABLE` calls in a row have lacked proofs.
 */
const REFUSED_MS = 10_000;
const MAX_UNVERIFIABLE = 3;
/** Time after the last call during which the header and state of new heads are requested in advance, milliseconds. */
const IDLE_MS = 60_000;
/** The gas cap of a call is this multiple of the head's gas limit (spec 8). */
const GAS_CAP_FACTOR = 10n;
/** Reasons why a call could not be executed locally, as clauses for error texts. */
const WHY_LEFT: Readonly<Record<Exclude<LeaveReason, 'fees'>, string>> = {
  block: 'the block of the call is not known',
  rules: 'the rules of the block are not known: name a genesis file with chain, or set execution: node',
  unproven: 'no node proves the state that the call reads',
  unsettled: 'the call needs more state after every round trip',
};

/** Block at which fast path calls run, and the head; the gas limit of the head determines the gas cap of these calls. */
type PlainBlock = { readonly block: RemoteBlock; readonly head: RemoteBlock; readonly place: StoredPlace };

/** Executes calls on nodes' state, which is verified by proofs. */
export class RemoteExecutions {
  readonly #options: RemoteOptions;
  readonly #chain: RemoteChain;
  readonly #simulator: Simulator;
  readonly #attempts: CallAttempts;
  readonly #openBlocks: () => RemoteBlocks;
  #opened: RemoteBlocks | undefined;
  readonly #left: Record<LeaveReason, number> = { block: 0, fees: 0, rules: 0, unproven: 0, unsettled: 0 };
  /** Blocks at which all calls are left to nodes for a while: reason by block hash. */
  readonly #refused = new Lru<string, LeaveReason>(MAX_BLOCKS, REFUSED_MS);
  readonly #deferredReads = new DeferredReads();
  readonly #missedTime = new MissedTime();
  /** Number of consecutive calls that could not be executed because nodes sent no proofs. */
  #unproven = 0;
  #executed = 0;
  /** Block of the last fast path call, cached. */
  #plain: PlainBlock | undefined;
  /** True if the rules of the last requested block are unknown. */
  #lacksRules = false;
  /** Time of the last call, on the clock of `performance.now()`. */
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteOptions) {
    const { source, pool, config, network, log, onFault } = options;
    this.#options = options;
    this.#chain = new RemoteChain(source.requests);
    this.#simulator = new Simulator(this.#chain, pool.memoryLimit, pool.meter);
    const collector = new Collector(source);
    this.#attempts = new CallAttempts({
      source,
      pool,
      chain: this.#chain,
      simulator: this.#simulator,
      collector,
      missedTime: this.#missedTime,
    });
    this.#openBlocks = () => {
      const rules = new ForkRules(source.chainId, config, source.voices);
      const requested = new FetchedRules({ source, rules, network, log, onFault });
      return new RemoteBlocks(source, collector, rules, requested);
    };
  }

  /** Created after the first block has been located, because the chain id is unknown until then. */
  get #blocks(): RemoteBlocks {
    this.#opened ??= this.#openBlocks();
    return this.#opened;
  }

  describe(): ExecutionFigures {
    return {
      state: 'local',
      ...(this.#lacksRules && { reason: WHY_LEFT.rules }),
      executed: this.#executed,
      roundTrips: this.#attempts.roundTrips + (this.#opened?.roundTrips ?? 0),
      left: { ...this.#left },
    };
  }

  /**
   * Executes a call locally.
   * @returns the result as JSON; undefined if nodes have to execute the call
   * @throws ChainError with geth's texts, like the embedded chain
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
        this.#demandProof(request.block, error);
        return undefined;
      },
    );
  }

  /** Checks whether a node may execute a call, although its answer is unverified. @throws ChainError `unavailable` if answers must be verified */
  #demandProof(block: BlockReference, { reason, bound }: LeftToNodes): void {
    const { isOnlyHere, source } = this.#options;
    const isPending = block.kind === 'tag' && block.tag === 'pending';
    if (isOnlyHere === true && reason !== 'fees' && !isPending) {
      source.demandProof(bound === undefined ? WHY_LEFT[reason] : describeBoundRefusal(bound), bound);
    }
  }

  /**
   * Executes an `eth_call` whose whole state is in memory.
   * @returns undefined if state is missing or one slice is not enough; the caller then calls
   * `execute`
   */
  readonly executeFastPath = (call: CallBytes, scope: RequestScope): JsonResult | undefined => {
    const { pool } = this.#options;
    const { owner = '' } = scope;
    if (this.#missedTime.isUsedUp(owner)) return undefined;
    const known = this.#findFastPathContext(call.block, scope);
    if (known === undefined) return undefined;
    const { block, place } = known;
    this.#options.source.demandAnchor(block.at, false);
    const gasLimit = Math.min(call.gas, place.gasLimit);
    if (gasLimit < gasToBegin(call.dataLength)) return undefined;
    this.#usedAt = scope.startedAt;
    if (this.#chain.select(block)) this.#simulator.forgetEnvironment();
    let result: HexData | undefined;
    try {
      result = pool.runHere(
        { kind: 'plain', call, place, gasLimit, ahead: undefined },
        this.#simulator,
        scope,
        scope.startedAt,
      );
    } catch (error) {
      if (error instanceof MissingState) {
        this.#missedTime.note(owner, pool.lastCallMs);
        return undefined;
      }
      if (error instanceof ChainError) this.#noteEnd(block, false, scope);
      throw error;
    }
    if (result === undefined) return undefined;
    this.#noteEnd(block, false, scope);
    return encodeHexData(result);
  };

  /** Returns the block for a call at a block number or at the newest block; undefined if the block is not in memory. */
  #findFastPathContext(number: number, scope: RequestScope): PlainBlock | undefined {
    const { source } = this.#options;
    const findKnown = (reference: BlockReference): RemoteBlock | undefined => {
      const place = source.locate(reference, scope);
      if (!(place instanceof Promise)) return place && this.#blocks.get(place.hash);
      // The error is ignored here: the caller then calls `execute`, which locates the block again and reports the error.
      place.catch(() => {});
      return undefined;
    };
    const head = findKnown(LATEST);
    const block = number === LATEST_BLOCK ? head : findKnown({ kind: 'number', number: BigInt(number) });
    if (head === undefined || block === undefined || this.#refused.get(block.at.hash) !== undefined)
      return undefined;
    if (this.#plain?.block === block && this.#plain.head === head) return this.#plain;
    const gasLimit = Number(minBigInt(head.stored.header.gasLimit * GAS_CAP_FACTOR, MAX_CALL_GAS));
    // `place` is never sent to a thread, so it needs no folder of a store.
    const place = { store: '', blockNumber: block.at.number, isPending: false, gasLimit };
    this.#plain = { block, head, place };
    return this.#plain;
  }

  #noteEnd({ at, whyUnverifiable }: RemoteBlock, isNamed: boolean, scope: RequestScope): void {
    this.#unproven = 0;
    this.#noteRules(true, at.number);
    this.#options.source.noteExecuted(at, isNamed, whyUnverifiable, scope);
    this.#executed++;
  }

  #noteRules(areKnown: boolean, number: bigint): void {
    if (this.#lacksRules === !areKnown) return;
    this.#lacksRules = !areKnown;
    const { network, log, isOnlyHere } = this.#options;
    const fields = { network, block: number.toString() };
    if (areKnown) log.info(fields, 'the rules of the chain are known');
    else {
      const then =
        isOnlyHere === true ? 'they are refused where answers must be verified' : 'nodes execute them';
      log.warn(
        { ...fields, reason: WHY_LEFT.rules },
        `calls are not executed here, because too few nodes report the rules of the chain: ${then}`,
      );
    }
  }

  /** If there were calls recently, requests the header of a new head and the state that calls are likely to read at this head. */
  noteHead(place: Place): void {
    const now = performance.now();
    if (now > this.#usedAt + IDLE_MS) return;
    const { source, onFault } = this.#options;
    const block = this.#blocks.find(place, undefined, new RequestScope(now + IDLE_MS));
    Promise.resolve(block)
      .then(({ at }) => source.requests.warmUp.noteHead(at))
      .catch((error: unknown) => {
        if (!(error instanceof LeftToNodes)) onFault(error);
      });
  }

  #execute(kind: SimulationKind, request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    if (kind === 'accessList' && needsTip(request.call)) throw new LeftToNodes('fees');
    const { owner = '' } = scope;
    this.#usedAt = scope.startedAt;
    if (this.#missedTime.isUsedUp(owner))
      return SCHEDULER.take(owner, () => this.#locateAndExecute(kind, request, scope));
    return this.#locateAndExecute(kind, request, scope);
  }

  #locateAndExecute(
    kind: SimulationKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    const { source } = this.#options;
    const located = leaveOutages(source, source.locate(request.block, scope));
    return SCHEDULER.follow(scope.owner ?? '', located, (place) => {
      if (place === undefined) throw new LeftToNodes('block');
      source.demandAnchor(place, request.block.kind === 'hash');
      const refused = this.#refused.get(place.hash);
      if (refused !== undefined) throw new LeftToNodes(refused);
      if (this.#deferredReads.isIncomplete(kind, request, place.hash)) throw new LeftToNodes('unsettled');
      return recoverWith<JsonResult>(
        () => this.#executeAt(place, kind, request, scope),
        (error) => {
          if (error instanceof LeftToNodes) {
            this.#noteLeft(place, error.reason);
            if (error.reason === 'unsettled') this.#deferredReads.noteIncomplete(kind, request, place.hash);
          }
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
    const first: FirstCall = { request, hinted: new StateKeys(), isHinted: false };
    const blocks = this.#blocks.findWithHead(place, first, scope);
    return SCHEDULER.follow(scope.owner ?? '', blocks, ([block, head]) => {
      const run = createRun(kind, first, block, head.stored.header.gasLimit * GAS_CAP_FACTOR);
      const late = this.#deferredReads.find(request);
      if (late !== undefined) run.further.merge(late);
      const noteEnd = (): void => this.#noteEnd(block, request.block.kind === 'hash', scope);
      const noteLate = (): void => {
        if (CallAttempts.hasReadLate(run)) this.#deferredReads.note(request, run.further);
      };
      const result = recoverWith<HexData>(
        () => this.#attempts.run(run, scope),
        (error) => {
          noteLate();
          // A failure of the call itself counts as a local execution.
          if (error instanceof ChainError) noteEnd();
          throw error;
        },
      );
      return continueWith(result, (value) => {
        noteLate();
        noteEnd();
        return encodeResult(kind, value);
      });
    });
  }

  /** Records why a call was left to nodes. If no call can be executed at its block, all calls at this block are left to nodes for `REFUSED_MS`. */
  #noteLeft({ hash, number }: Place, reason: LeaveReason): void {
    if (reason === 'rules') this.#noteRules(false, number);
    if (reason === 'unproven') this.#unproven++;
    if (reason === 'rules' || this.#unproven >= MAX_UNVERIFIABLE) this.#refused.set(hash, reason);
  }
}

function encodeResult(kind: SimulationKind, result: HexData): JsonResult {
  if (kind !== 'accessList') return encodeHexData(result);
  return typeof result === 'string' ? result : streamBytes(result);
}
