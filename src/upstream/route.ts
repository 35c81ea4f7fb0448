import type { UnknownExecutionError } from './fault.ts';
import type { Upstream } from './upstream.ts';

/** An upstream says that the execution failed, in words that are not known. */
export type Claim = { readonly upstream: Upstream; readonly error: UnknownExecutionError };

const NONE: readonly Claim[] = [];

/** The upstreams that may answer one call, best first. Each is taken once, unless it is given back. */
export class Route {
  readonly #upstreams: Upstream[];
  /** Upstreams that may have an answer: those that may be asked, and those that cannot be asked now. */
  readonly total: number;
  readonly isHeld: boolean;
  #next = 0;
  #claims = NONE;

  /**
   * @param upstreams is the route's from here on
   * @param absent how many more cannot be asked now
   * @param isHeld whether one of them was known to have the block of the call
   */
  constructor(upstreams: Upstream[], absent = 0, isHeld = true) {
    this.#upstreams = upstreams;
    this.isHeld = isHeld;
    this.total = upstreams.length + absent;
  }

  get isExhausted(): boolean {
    return this.left === 0;
  }

  /** Upstreams that have not been taken. */
  get left(): number {
    return this.#upstreams.length - this.#next;
  }

  /** They stay where they are. */
  listLeft(): readonly Upstream[] {
    return this.#next === 0 ? this.#upstreams : this.#upstreams.slice(this.#next);
  }

  take(): Upstream | undefined {
    const upstream = this.#upstreams[this.#next];
    if (upstream !== undefined) this.#next++;
    return upstream;
  }

  /** An upstream that was taken has not been heard: it may be asked again, after all others. */
  giveBack(upstream: Upstream): void {
    this.#upstreams.push(upstream);
  }

  /** What has been claimed of this call and neither confirmed nor contradicted. */
  get claims(): readonly Claim[] {
    return this.#claims;
  }

  addClaim(claim: Claim): void {
    this.#claims = [...this.#claims, claim];
  }

  /** The claims, which are settled now. */
  takeClaims(): readonly Claim[] {
    const claims = this.#claims;
    this.#claims = NONE;
    return claims;
  }
}
