import type { Upstream } from './upstream.ts';

/** The upstreams that may answer one call, best first. Each is taken once, unless it is given back. */
export class Route {
  readonly #upstreams: Upstream[];
  #next = 0;

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = [...upstreams];
  }

  get isExhausted(): boolean {
    return this.left === 0;
  }

  /** Upstreams that have not been taken. */
  get left(): number {
    return this.#upstreams.length - this.#next;
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
}
