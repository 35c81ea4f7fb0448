import type { Upstream } from './upstream.ts';

/** The upstreams that may answer one call, best first. Each is taken once. */
export class Route {
  readonly #upstreams: readonly Upstream[];
  #next = 0;

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = upstreams;
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
}
