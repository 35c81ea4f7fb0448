/** What V8 and malloc hold beyond what is in use goes back to the system when a process that serves has little to do. */
import { performance } from 'node:perf_hooks';
import { beginSparingCollection } from './heap-settings.ts';

/** How often is looked, milliseconds. */
const LOOK_MS = 1_000;
/** There is little to do when the event loop was busy for less than this part of the time, so many looks in a row. */
const MAX_BUSY = 0.02;
const QUIET_LOOKS = 2;
/** A collection takes 100 to 200 ms of CPU, most of it beside the main thread: less than so much more that is resident is not worth it. */
const LEAST_BYTES = 8 * 1024 * 1024;

/** Decides when memory is given back. */
export class QuietWatch {
  #quietLooks = 0;
  /** The least that was resident since the last collection began. */
  #least = 0;

  /**
   * One look.
   * @param busy part of the time since the last one that the event loop was busy
   * @param resident bytes
   * @returns whether a collection is due
   */
  look(busy: number, resident: number): boolean {
    this.#quietLooks = busy < MAX_BUSY ? this.#quietLooks + 1 : 0;
    this.#least = Math.min(this.#least, resident);
    if (this.#quietLooks < QUIET_LOOKS || resident - this.#least < LEAST_BYTES) return false;
    this.#least = resident;
    return true;
  }
}

/** Looks every second as long as the process lives, which this does not prolong. To be called once, behind the start. */
export function giveBackSpareMemory(): void {
  const watch = new QuietWatch();
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (watch.look(utilization, process.memoryUsage.rss())) beginSparingCollection();
  };
  setInterval(look, LOOK_MS).unref();
}
