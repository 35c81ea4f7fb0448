import type { UnknownExecutionError } from './fault.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** Unrecognized error of an upstream for an executed call, which no second upstream has confirmed or contradicted yet. */
export type Claim = {
  readonly call: UpstreamRequest;
  readonly upstream: Upstream;
  readonly error: UnknownExecutionError;
};

const NONE: readonly Claim[] = [];

/** Reserve of a route without used-up upstreams. */
export const NO_RESERVE: readonly Upstream[] = Object.freeze([]);

/**
 * The upstreams that may answer a call, or the calls of a group, best first. Each upstream is taken from the route once, unless `giveBack` puts it
 * back.
 */
export class Route {
  readonly #upstreams: Upstream[];
  /** Upstreams that are used only if no other upstream answers, best first. */
  #reserve: readonly Upstream[];
  /** Number of upstreams that may have an answer, including upstreams that are unavailable now. */
  readonly total: number;
  readonly isAvailable: boolean;
  #next = 0;
  #nextReserve = 0;
  #claims = NONE;

  /**
   * @param upstreams upstreams of the route, best first; the route may modify this array
   * @param absent number of other upstreams that may have an answer, but are unavailable now
   * @param isAvailable whether an upstream is known to have the block of the call
   * @param reserve upstreams that are used only if no other upstream answers, best first
   */
  constructor(
    upstreams: Upstream[],
    absent = 0,
    isAvailable = true,
    reserve: readonly Upstream[] = NO_RESERVE,
  ) {
    this.#upstreams = upstreams;
    this.#reserve = reserve;
    this.isAvailable = isAvailable;
    this.total = upstreams.length + absent;
  }

  get isExhausted(): boolean {
    return this.left === 0;
  }

  /** Number of upstreams that have not been taken, the reserve excluded; 0 if no more may be taken. */
  get left(): number {
    this.#skipUnusable();
    return this.#upstreams.length - this.#next;
  }

  /** Number of upstreams that have not been taken, the reserve included. */
  get leftInAll(): number {
    this.#skipReserve();
    return this.left + this.#reserve.length - this.#nextReserve;
  }

  /** Lists the upstreams that have not been taken, without taking them. */
  listLeft(): readonly Upstream[] {
    return this.#next === 0 ? this.#upstreams : this.#upstreams.slice(this.#next);
  }

  /** Takes the next upstream that did not go out of use in the meantime. */
  take(): Upstream | undefined {
    this.#skipUnusable();
    const upstream = this.#upstreams[this.#next];
    if (upstream !== undefined) this.#next++;
    return upstream;
  }

  /** Takes the next upstream, or one of the reserve if no other is left. */
  takeAny(): Upstream | undefined {
    const upstream = this.take();
    if (upstream !== undefined) return upstream;
    this.#skipReserve();
    const reserved = this.#reserve[this.#nextReserve];
    if (reserved !== undefined) this.#nextReserve++;
    return reserved;
  }

  /** Puts an upstream that was taken but has not replied at the end of the route or of its reserve, so that it can be taken again. */
  giveBack(upstream: Upstream): void {
    if (this.#reserve.includes(upstream)) this.#reserve = [...this.#reserve, upstream];
    else this.#upstreams.push(upstream);
  }

  /** Returns the unrecognized errors of upstreams for a call that no other upstream has confirmed or contradicted yet. */
  claimsAbout(call: UpstreamRequest): readonly Claim[] {
    return this.#claims.filter((claim) => claim.call === call);
  }

  addClaim(claim: Claim): void {
    this.#claims = [...this.#claims, claim];
  }

  /** Removes and returns the claims about a call, which are now confirmed or contradicted. */
  takeClaims(call: UpstreamRequest): readonly Claim[] {
    if (this.#claims.length === 0) return NONE;
    const taken = this.claimsAbout(call);
    this.#claims = this.#claims.filter((claim) => claim.call !== call);
    return taken;
  }

  #skipUnusable(): void {
    while (this.#upstreams[this.#next]?.isOutOfUse === true) this.#next++;
  }

  #skipReserve(): void {
    while (this.#reserve[this.#nextReserve]?.isOutOfUse === true) this.#nextReserve++;
  }
}
