import type { UnknownExecutionError } from './fault.ts';
import type { Upstream } from './upstream.ts';

/** Claim of an upstream that the execution failed, in words that are not recognized. */
export type Claim = { readonly upstream: Upstream; readonly error: UnknownExecutionError };

const NONE: readonly Claim[] = [];

/** The upstreams that may answer one call, best first. Each upstream is taken once, unless it is given back. */
export class Route {
  readonly #upstreams: Upstream[];
  /** Number of upstreams that may have an answer, including upstreams that are unavailable now. */
  readonly total: number;
  readonly isAvailable: boolean;
  #next = 0;
  #claims = NONE;

  /**
   * @param upstreams ownership passes to the route
   * @param absent number of further upstreams that are unavailable now
   * @param isAvailable whether an upstream is known to have the block of the call
   */
  constructor(upstreams: Upstream[], absent = 0, isAvailable = true) {
    this.#upstreams = upstreams;
    this.isAvailable = isAvailable;
    this.total = upstreams.length + absent;
  }

  get isExhausted(): boolean {
    return this.left === 0;
  }

  /** Number of upstreams that have not been taken. */
  get left(): number {
    return this.#upstreams.length - this.#next;
  }

  /** Lists the upstreams that have not been taken, without taking them. */
  listLeft(): readonly Upstream[] {
    return this.#next === 0 ? this.#upstreams : this.#upstreams.slice(this.#next);
  }

  take(): Upstream | undefined {
    const upstream = this.#upstreams[this.#next];
    if (upstream !== undefined) this.#next++;
    return upstream;
  }

  /** Puts an upstream that was taken but has not replied at the end of the route, so that it can be taken again. */
  giveBack(upstream: Upstream): void {
    this.#upstreams.push(upstream);
  }

  /** Claims about this call that no upstream has confirmed or contradicted. */
  get claims(): readonly Claim[] {
    return this.#claims;
  }

  addClaim(claim: Claim): void {
    this.#claims = [...this.#claims, claim];
  }

  /** Removes and returns the claims, which are now confirmed or contradicted. */
  takeClaims(): readonly Claim[] {
    const claims = this.#claims;
    this.#claims = NONE;
    return claims;
  }
}
