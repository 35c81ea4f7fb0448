import type { CallBytes } from '../../../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { CallRequest } from '../../../chain/requests.ts';
import type { Logger } from '../../../observe/logger.ts';
import type { ExecutionFigures } from '../../../observe/sources.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import type { SimulationKind } from '../../embedded/simulation/call-environment.ts';
import {
  compareReplies,
  executeHere,
  isCertain,
  isPlain,
  requestOf,
  type SampleVerdict,
} from './call-outcome.ts';
import type { RemoteExecutions } from './remote-executions.ts';
import type { Place, RemoteStateSource } from './state-source.ts';

/** Number of calls that must have the same outcome locally and at a node before client calls are executed locally. */
const COMPARISONS = 20;
/**
 * Interval between comparisons while calls are executed locally, milliseconds. `RETRY_MS` is the delay of the next comparison after an outcome that
 * differed from the nodes' outcomes.
 */
const SAMPLE_MS = 60_000;
const RETRY_MS = 3_600_000;
const LIMIT_MS = 20_000;
/** Maximum number of calls that wait for comparison. Calls above `MAX_LENGTH` (UTF-16 units of JSON) are not compared. */
const MAX_WAITING = 4;
const MAX_LENGTH = 65_536;
/**
 * Gas of a compared call without `gas` field. Local and remote execution must have the same gas, because code can read its gas, and nodes have
 * different default limits.
 */
const GAS = encodeQuantity(10_000_000);

type Compared = Exclude<SimulationKind, 'accessList'>;
type Waiting = { readonly kind: Compared; readonly request: CallRequest };

export type ComparedOptions = {
  readonly here: RemoteExecutions;
  readonly source: RemoteStateSource;
  readonly log: Logger;
  readonly network: string;
  /** Called with internal errors of the gateway. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Executes client calls locally once enough calls had the same outcome locally and at nodes, and as long as further comparisons show no difference.
 */
export class ComparedExecutions {
  readonly #options: ComparedOptions;
  #state: ExecutionFigures['state'] = 'comparing';
  #reason = '';
  #same = 0;
  #unknown = 0;
  /** Time of the next comparison, on the clock of `performance.now()`. */
  #nextAt = 0;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(options: ComparedOptions) {
    this.#options = options;
  }

  /** Executes a call locally. @returns undefined if nodes have to execute the call */
  execute(
    kind: SimulationKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined> {
    if (kind !== 'accessList' && scope.startedAt >= this.#nextAt) this.#queue({ kind, request });
    return this.#state === 'local' ? this.#options.here.execute(kind, request, scope) : undefined;
  }

  readonly executeFastPath = (call: CallBytes, scope: RequestScope): JsonResult | undefined => {
    const isCompared = scope.startedAt >= this.#nextAt;
    return this.#state !== 'local' || isCompared
      ? undefined
      : this.#options.here.executeFastPath(call, scope);
  };

  noteHead(place: Place): void {
    this.#options.here.noteHead(place);
  }

  describe(): ExecutionFigures {
    const reason = this.#reason === '' ? {} : { reason: this.#reason };
    return { ...this.#options.here.describe(), state: this.#state, ...reason };
  }

  #queue(waiting: Waiting): void {
    if (this.#waiting.length >= MAX_WAITING || JSON.stringify(waiting.request.call).length > MAX_LENGTH)
      return;
    this.#waiting.push(waiting);
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#compareAll()
      .catch(this.#options.onFault)
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #compareAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      this.#note(await this.#compare(next), next);
  }

  #note(verdict: SampleVerdict, { request }: Waiting): void {
    const { log, network } = this.#options;
    if (verdict === 'same' || verdict === 'refuted') {
      this.#same++;
      this.#unknown = 0;
      if (this.#same < COMPARISONS) return;
      this.#nextAt = performance.now() + SAMPLE_MS;
      if (this.#state === 'local') return;
      this.#state = 'local';
      this.#reason = '';
      log.info(
        { network, compared: COMPARISONS },
        'calls are executed here from now on: their results match those of the nodes',
      );
      return;
    }
    if (verdict === 'unknown' && ++this.#unknown < COMPARISONS) return;
    const to = request.call.to ?? 'a new contract';
    this.#leave(
      verdict === 'different'
        ? `a call of ${to} had a different result here than at every node`
        : 'nodes do not prove the state that calls read',
    );
  }

  /** Stops local execution until enough new comparisons succeed. */
  #leave(reason: string): void {
    const { log, network } = this.#options;
    this.#state = 'node';
    this.#reason = reason;
    this.#same = 0;
    this.#unknown = 0;
    this.#waiting.length = 0;
    this.#nextAt = performance.now() + RETRY_MS;
    log.warn({ network, reason }, 'calls are executed by nodes');
  }

  /** Executes a call locally at the head, and then sends the call to one node after the other until a node has the same outcome. */
  async #compare({ kind, request }: Waiting): Promise<SampleVerdict> {
    const { source, here } = this.#options;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    let place: Place | undefined;
    try {
      place = await source.locate({ kind: 'tag', tag: 'latest' }, scope);
    } catch (error) {
      if (!source.isOutage(error)) throw error;
    }
    if (place === undefined) return 'unknown';
    const call = { ...request.call, gas: request.call.gas ?? GAS };
    const pinned: CallRequest = {
      ...request,
      call,
      block: { kind: 'hash', hash: place.hash, requireCanonical: false },
    };
    const ours = await executeHere(here, source, kind, pinned, scope);
    if (ours === undefined) return 'unknown';
    const compared = { kind, call, place, ours };
    const replies = source.survey(requestOf(kind, pinned), place, scope);
    return compareReplies(
      source,
      compared,
      replies,
      async () => kind === 'call' && isPlain(request) && (await isCertain(here, source, compared, scope)),
    );
  }
}
