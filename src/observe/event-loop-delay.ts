import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Sampling interval, ms. */
const RESOLUTION_MS = 20;
/** Minimum time between two resets of the samples, ms. */
const WINDOW_MS = 60_000;

export type LoopDelay = { readonly p50: number; readonly p99: number; readonly max: number };

/**
 * Event loop delay in seconds, sampled from construction on. A read resets the samples if the last reset was more
 * than `WINDOW_MS` ago, so reads cover about the last minute.
 */
export class EventLoopDelay {
  readonly #samples: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #since: number = performance.now();

  constructor() {
    this.#samples.enable();
  }

  read(): LoopDelay {
    const samples = this.#samples;
    // The measured value includes the sampling interval.
    const toDelay = (nanoseconds: number): number =>
      Math.max(0, Number.isFinite(nanoseconds) ? nanoseconds / 1e9 - RESOLUTION_MS / 1_000 : 0);
    const delay = {
      p50: toDelay(samples.percentile(50)),
      p99: toDelay(samples.percentile(99)),
      max: toDelay(samples.max),
    };
    if (performance.now() - this.#since > WINDOW_MS) {
      samples.reset();
      this.#since = performance.now();
    }
    return delay;
  }

  close(): void {
    this.#samples.disable();
  }
}
