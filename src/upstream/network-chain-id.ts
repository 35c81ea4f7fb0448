import { ChainError } from '../chain/errors.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { ScopeWaiters } from '../util/scope-waiters.ts';
import { type ConfiguredChain, tallyChainIds } from './chain-claims.ts';
import { explainOutage } from './node-state.ts';
import type { Ask, Exchange } from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** The chain id of a network of nodes: as configured, or as learnt from them, once. */
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

  /** Undefined as long as the nodes have not reported it. */
  get known(): bigint | undefined {
    return this.#known;
  }

  /** @throws ChainError `unavailable` as long as it is not known */
  get value(): bigint {
    if (this.#known === undefined) throw new ChainError('unavailable', this.explain());
    return this.#known;
  }

  /**
   * The same; right after the start it waits until the nodes have answered or have had their time.
   * @throws ChainError `unavailable`, which is also what it rejects with
   */
  find(scope: RequestScope): PromiseOrValue<bigint> {
    if (this.#known !== undefined) return this.#known;
    if (!this.mayBeReported) return this.value;
    return continueWith(this.#waiting.wait(scope), () => this.value);
  }

  /** Asks nodes once it is known: before, none of them is known to be of this network. */
  gate(exchange: Exchange, ask: Ask): PromiseOrValue<JsonResult> {
    if (this.#known !== undefined) return ask(exchange);
    return continueWith(this.find(exchange.scope), () => ask(exchange));
  }

  /** From now on it is this one. */
  learn(chainId: bigint): void {
    this.#known = chainId;
    this.#waiting.wake();
  }

  /** To be called when a node has answered or has had its time: ends waiting for what will not come soon. */
  noteChange(): void {
    if (!this.mayBeReported) this.#waiting.wake();
  }

  /** Why it is not known, and what to do, as the rest of a sentence. */
  explain(): string {
    const { tally, operators, needed } = tallyChainIds(this.#upstreams, this.#configured);
    const silent = this.#upstreams.filter(({ identity }) => identity === undefined);
    const outage = silent.length === 0 ? [] : [explainOutage(silent, this.#upstreams.length)];
    const reports = [...tally].map(([id, votes]) => `${votes} of ${operators} operators reported ${id}`);
    const rule = operators === 1 ? [] : [`${needed} of ${operators} operators have to report the same`];
    const why = [...rule, ...reports, ...outage].join('; ');
    return `the chain id of the network is not known yet${why === '' ? '' : `: ${why}`}; with pool.chainId it need not be reported`;
  }

  /** Whether there is a node that has neither answered nor had its time. */
  get mayBeReported(): boolean {
    return this.#upstreams.some(({ identity, isAwaited }) => identity === undefined && isAwaited);
  }
}
