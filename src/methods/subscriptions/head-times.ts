import type { HeadReads } from '../../chain/chain.ts';

/** Maximum number of heads whose arrival times are stored. Fewer heads arrive before the notifications of a head are sent. */
const MAX_HEADS = 64;

const BY_HEADS = new WeakMap<HeadReads, HeadTimes>();

/**
 * Times at which the process noticed the heads of a chain. The delay of notifications is measured from the time at which a head was noticed. The
 * chain is watched while any subscription uses this object.
 */
export class HeadTimes {
  readonly #heads: HeadReads;
  /** Times by block hash, ms on the clock of `performance.now()`, oldest first. A time is undefined where it is unknown. */
  readonly #times = new Map<string, number | undefined>();
  #users = 0;
  #unwatch: (() => void) | undefined;

  private constructor(heads: HeadReads) {
    this.#heads = heads;
  }

  static of(heads: HeadReads): HeadTimes {
    let times = BY_HEADS.get(heads);
    if (times === undefined) {
      times = new HeadTimes(heads);
      BY_HEADS.set(heads, times);
    }
    return times;
  }

  /**
   * Starts a use of this object. The object watches the chain until all uses have ended.
   * @returns a function that ends the use
   */
  use(): () => void {
    if (++this.#users === 1) {
      const { served } = this.#heads;
      if (served !== undefined) this.#note(served.hash, undefined);
      this.#unwatch = this.#heads.watch(() => this.#noteServed());
    }
    return () => {
      if (--this.#users > 0) return;
      this.#unwatch?.();
      this.#times.clear();
    };
  }

  /** Returns when a block was noticed as the head. Undefined for a block that became the head before `since`, or never became the head. */
  find(hash: string, since: number): number | undefined {
    // `find` may run in the same turn of the event loop as a head change. The watcher of heads may not have been called yet.
    if (this.#heads.served?.hash === hash) this.#noteServed();
    const at = this.#times.get(hash);
    return at !== undefined && at >= since ? at : undefined;
  }

  #noteServed(): void {
    const { served } = this.#heads;
    if (served !== undefined && !this.#times.has(served.hash)) this.#note(served.hash, performance.now());
  }

  #note(hash: string, at: number | undefined): void {
    this.#times.set(hash, at);
    if (this.#times.size <= MAX_HEADS) return;
    for (const oldest of this.#times.keys()) {
      this.#times.delete(oldest);
      return;
    }
  }
}
