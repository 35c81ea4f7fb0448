import type { BlockHeader } from './block.ts';

/** Weight of the newest sample in the moving average. */
const NEWEST_WEIGHT = 0.2;
/** Maximum number of blocks between two sampled heads. A longer jump shows how fast the upstream is, not the block time of the chain. */
const MAX_STEP_BLOCKS = 1_000n;

/** Estimates the block time of a chain from the heads of one upstream. */
export class BlockInterval {
  #last: { readonly header: BlockHeader; readonly at: number } | undefined;
  #blockTime: number | undefined;

  /** Smoothed block time, ms; undefined until two heads were seen. */
  get blockTime(): number | undefined {
    return this.#blockTime;
  }

  /** Time at which the last head was first seen, in ms of `Clock.now()`; undefined before the first head. */
  get lastAt(): number | undefined {
    return this.#last?.at;
  }

  /**
   * Samples a head that arrived at `now` (ms of `Clock.now()`). The sample is the smaller of two times per block: the time between the timestamps and
   * the time between the arrivals. If a node is polled too rarely, its heads arrive too far apart.
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
