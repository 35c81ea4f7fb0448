import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { CallRequest } from '../../../chain/requests.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { ExecutionFigures, SampleCounts } from '../../../observe/sources.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import type { ExecutionPool } from '../../embedded/execution/execution-pool.ts';
import type { SimulationKind } from '../../embedded/simulation/call-environment.ts';
import {
  type ComparedCall,
  compareReplies,
  executeHere,
  isCertain,
  isPlain,
  outcomesAgree,
  readOutcome,
  requestOf,
  type SampleVerdict,
} from './call-outcome.ts';
import type { ComparedExecutions } from './compared-executions.ts';
import type { RemoteExecutions } from './remote-executions.ts';
import type { Place, RemoteStateSource, StateReply } from './state-source.ts';

/** Time without samples after the local outcome of a call differed from the outcome of every node, milliseconds. */
const RETRY_MS = 3_600_000;
const LIMIT_MS = 20_000;
/**
 * Delay before a sample is executed, milliseconds. If the timer is late by more than `MAX_LATE_MS`, the event loop is busy, and the sample is
 * skipped.
 */
const DELAY_MS = 10;
const MAX_LATE_MS = 100;
/** Maximum length of the call data and of the answer of a sample, UTF-16 units. */
const MAX_LENGTH = 65_536;

/** Returns whether an answer to this call can be compared with a local execution. */
export function isComparable(request: CallRequest): boolean {
  const { input = '', data = input } = request.call;
  return isPlain(request) && data.length <= MAX_LENGTH;
}

/** Node's answer to a call at a block. */
export type SampledAnswer = StateReply & { readonly request: CallRequest; readonly place: Place };

export type SampledOptions = {
  readonly here: RemoteExecutions;
  /** Executes client calls locally; undefined if nodes execute all client calls. */
  readonly inner: ComparedExecutions | undefined;
  readonly source: RemoteStateSource;
  readonly pool: ExecutionPool;
  /** Percentage of the calls answered by nodes that are re-executed locally. */
  readonly share: number;
  readonly log: Logger;
  readonly network: string;
  /** Called with internal errors of the gateway. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Repeats a sample of the calls that nodes have answered, locally and in the background. A node is quarantined if the local execution and a second
 * node agree on a different outcome.
 */
export class SampledCalls {
  /** Executes a call locally at once if its whole state is in memory; undefined if nodes execute all client calls. */
  readonly executeFastPath: ComparedExecutions['executeFastPath'] | undefined;
  readonly #options: SampledOptions;
  readonly #counts: SampleCounts = { same: 0, refuted: 0, different: 0, unknown: 0 };
  /** Earliest time of the next sample, on the clock of `performance.now()`. */
  #nextAt = 0;
  #isBusy = false;

  constructor(options: SampledOptions) {
    this.#options = options;
    this.executeFastPath = options.inner?.executeFastPath;
  }

  /** Returns whether nodes execute all calls. */
  get executesNone(): boolean {
    return this.#options.inner === undefined;
  }

  /** Executes a client call locally. @returns undefined if nodes have to execute the call */
  execute(
    kind: SimulationKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined> {
    return this.#options.inner?.execute(kind, request, scope);
  }

  noteHead(place: Place): void {
    this.#options.inner?.noteHead(place);
  }

  describe(): ExecutionFigures {
    const { inner, here } = this.#options;
    const figures = inner?.describe() ?? { ...here.describe(), state: 'node', reason: 'as configured' };
    return { ...figures, samples: { ...this.#counts } };
  }

  /** Decides at random whether to sample this call; if true, the caller passes the node's answer to `noteAnswer`. */
  isSample(request: CallRequest): boolean {
    if (this.#isBusy || Math.random() * 100 >= this.#options.share) return false;
    return isComparable(request) && performance.now() >= this.#nextAt;
  }

  noteAnswer(answer: SampledAnswer): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#compareLater(answer)
      .catch(this.#options.onFault)
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #compareLater(answer: SampledAnswer): Promise<void> {
    const dueAt = performance.now() + DELAY_MS;
    await sleep(DELAY_MS, undefined, { ref: false });
    const isLoaded = performance.now() > dueAt + MAX_LATE_MS || this.#options.pool.describe().queued > 0;
    if (isLoaded) return;
    const verdict = await this.#compare(answer);
    this.#counts[verdict]++;
    if (verdict !== 'different') return;
    const { log, network } = this.#options;
    this.#nextAt = performance.now() + RETRY_MS;
    log.warn(
      { network, to: answer.request.call.to, block: answer.place.hash },
      'a call had a different result here than at every node: answers to calls are not compared for an hour',
    );
  }

  async #compare({ request, place, ...first }: SampledAnswer): Promise<SampleVerdict> {
    const { here, source } = this.#options;
    const theirs = readOutcome(first.answer);
    if (theirs === undefined || theirs.length > MAX_LENGTH) return 'unknown';
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    const { call } = request;
    const pinned: CallRequest = { call, block: { kind: 'hash', hash: place.hash, requireCanonical: false } };
    const ours = await executeHere(here, source, 'call', pinned, scope);
    if (ours === undefined) return 'unknown';
    if (outcomesAgree('call', ours, theirs)) return 'same';
    const compared: ComparedCall = { kind: 'call', call, place, ours };
    if (!(await isCertain(here, source, compared, scope))) return 'unknown';
    const further = source.survey(requestOf('call', { call }), place, scope, [first.node]);
    return compareReplies(source, compared, startWith(first, further), () => Promise.resolve(true));
  }
}

async function* startWith(first: StateReply, others: AsyncIterable<StateReply>): AsyncGenerator<StateReply> {
  yield first;
  yield* others;
}
