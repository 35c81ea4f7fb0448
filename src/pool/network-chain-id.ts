import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../chain/errors.ts';
import { countOf } from '../util/count-of.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { ScopeWaiters } from '../util/scope-waiters.ts';
import { type ConfiguredChain, tallyChainIds } from './chain-claims.ts';
import type { FaultKind } from './fault.ts';
import { explainOutage } from './node-state.ts';
import type { Upstream } from './upstream.ts';
import type { RequestContext, Send } from './upstream-request.ts';

/** Chain id of a network of nodes: the configured id, or the id that the nodes report, which never changes once it is known. */
export class NetworkChainId {
  readonly #upstreams: readonly Upstream[];
  readonly #configured: ConfiguredChain;
  readonly #waiting = new ScopeWaiters();
  #known: bigint | undefined;

  constructor(upstreams: readonly Upstream[], configured: ConfiguredChain) {
    this.#upstreams = upstreams;
    this.#configured = configured;
    this.#known = configured.chainId;
  }

  /** Undefined until the nodes have reported the chain id. */
  get known(): bigint | undefined {
    return this.#known;
  }

  /** @throws ChainError `unavailable` until the chain id is known */
  get value(): bigint {
    if (this.#known === undefined) throw new ChainError('unavailable', this.explain());
    return this.#known;
  }

  /**
   * Returns the chain id; directly after the start, it waits until the nodes have answered or exceeded their startup time.
   * @throws ChainError `unavailable`, synchronously or by rejection
   */
  find(scope: RequestScope): PromiseOrValue<bigint> {
    if (this.#known !== undefined) return this.#known;
    if (!this.mayBeReported) return this.value;
    return continueWith(this.#waiting.wait(scope), () => this.value);
  }

  /** Delays a request until the chain id is known, because until then no node is known to belong to this network. */
  gate(context: RequestContext, ask: Send): PromiseOrValue<JsonResult> {
    if (this.#known !== undefined) return ask(context);
    return continueWith(this.find(context.scope), () => ask(context));
  }

  /** Sets the chain id. */
  learn(chainId: bigint): void {
    this.#known = chainId;
    this.#waiting.wake();
  }

  /** Must be called when a node has answered or exceeded its startup time; ends the wait if no further report is expected. */
  noteChange(): void {
    if (!this.mayBeReported) this.#waiting.wake();
  }

  /** Returns a message that explains why the chain id is unknown and how to set it. */
  explain(): string {
    const { tally, operators, needed } = tallyChainIds(this.#upstreams, this.#configured);
    const silent = this.#upstreams.filter(({ identity }) => identity === undefined);
    const outage = silent.length === 0 ? [] : [explainOutage(silent, this.#upstreams.length)];
    const reports = [...tally].map(
      ([id, votes]) => `${votes} of ${countOf(operators, 'operator')} reported ${id}`,
    );
    const rule = operators === 1 ? [] : [`${needed} of ${operators} operators must report the same`];
    const why = [...rule, ...reports, ...outage].join('; ');
    // Without a report, a configured chain id would not help, and the advice would hide the fault of the nodes.
    const advice = tally.size > 0 ? '; set pool.chainId to skip this step' : adviseOnUrl(silent);
    return `the chain id of the network is not known yet${why === '' ? '' : `: ${why}`}${advice}`;
  }

  /** Whether any node has neither answered nor exceeded its startup time. */
  get mayBeReported(): boolean {
    return this.#upstreams.some(({ identity, isAwaited }) => identity === undefined && isAwaited);
  }
}

/** Faults of servers that answer, but not with JSON-RPC. */
const OF_OTHER_SERVERS: ReadonlySet<FaultKind | undefined> = new Set<FaultKind>(['httpStatus', 'malformed']);

function adviseOnUrl(upstreams: readonly Upstream[]): string {
  const isOther = upstreams.some(({ record }) => OF_OTHER_SERVERS.has(record.identityFault?.kind));
  return isOther ? '; check that the URL is the JSON-RPC URL of a node' : '';
}
