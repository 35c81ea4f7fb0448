import type { HeadReads } from '../../chain/chain.ts';

/** Heads with kept times: more than come while subscriptions are served. */
const MAX_HEADS = 64;

const BY_HEADS = new WeakMap<HeadReads, HeadTimes>();

/** When the heads of a chain were noticed: what the lag of notifications is measured from. It watches while it is used. */
export class HeadTimes {
  readonly #heads: HeadReads;
  /** By hash, milliseconds on the clock of `performance.now()`; undefined where that is not known. The oldest first. */
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

  /** @returns how to end the use */
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

  /** When the block was noticed as the head; undefined for one that was head before `since`, or never. */
  find(hash: string, since: number): number | undefined {
    // What is served in the turn in which the head changes may be served before this is called.
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
