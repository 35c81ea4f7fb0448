import type { BlockHeader } from './block.ts';

/** Weight of the newest observation. */
const NEWEST_WEIGHT = 0.2;
/** A longer jump says more about the upstream than about the chain. */
const MAX_STEP_BLOCKS = 1_000n;

/** The time between two blocks, as one upstream's heads show it. */
export class BlockPace {
  #last: { readonly header: BlockHeader; readonly at: number } | undefined;
  #blockTime: number | undefined;

  /** Milliseconds, smoothed; undefined until two heads were seen. */
  get blockTime(): number | undefined {
    return this.#blockTime;
  }

  /** When the last head was seen first, clock milliseconds; undefined before one was. */
  get lastAt(): number | undefined {
    return this.#last?.at;
  }

  /**
   * Learns from a head that arrived at `now` (clock milliseconds). The shorter of what timestamps and arrivals say
   * counts: timestamps are slow while a node catches up, arrivals while it is polled too seldom.
   */
  observe(header: BlockHeader, now: number): void {
    const last = this.#last;
    if (header.hash === last?.header.hash) return;
    this.#last = { header, at: now };
    if (last === undefined) return;
    const blocks = header.number - last.header.number;
    const seconds = header.timestamp - last.header.timestamp;
    if (blocks <= 0n || blocks > MAX_STEP_BLOCKS || seconds < 0n) return;
    const sample = Math.min(Number(seconds) * 1_000, now - last.at) / Number(blocks);
    this.#blockTime =
      this.#blockTime === undefined ? sample : this.#blockTime + NEWEST_WEIGHT * (sample - this.#blockTime);
  }
}
