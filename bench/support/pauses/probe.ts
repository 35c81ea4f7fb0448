/**
 * Loaded into the measured program before its own modules (`--import`). Records each turn of the main thread that took longer than PAUSE_LEAST_MS,
 * with the thread's processor time, and each garbage collection, and writes them at exit to PAUSE_FILE. Times are microseconds of the monotonic
 * clock, as in profiles.
 */
import { openSync, readSync, writeFileSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Pauses and collections that a probe recorded. */
export type ProbeNotes = {
  readonly pauses: readonly Pause[];
  readonly collections: readonly Collection[];
};

/** An interval without a turn of the event loop. */
export type Pause = {
  readonly from: number;
  readonly to: number;
  /** Microseconds for which the thread ran. */
  readonly ran: number;
  /** Microseconds for which the thread was runnable while another thread had the processor. */
  readonly waited: number;
};

export type Collection = { readonly from: number; readonly to: number; readonly kind: number };

/** Entry as Node emits it; Node's type declarations lack `detail.kind`. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

const TICK_MS = 1;
const MICROSECONDS = 1_000;
const MAX_NOTES = 200_000;

const now = (): number => Number(process.hrtime.bigint() / 1_000n);

function begin(file: string, leastMs: number): void {
  const pauses: Pause[] = [];
  const collections: Collection[] = [];
  // The id of a process's first thread is the process id.
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(64);
  const readSchedule = (): readonly [ran: number, waited: number] => {
    const length = readSync(schedule, buffer, 0, buffer.length, 0);
    const [ran = 0, waited = 0] = buffer.toString('latin1', 0, length).split(' ', 2).map(Number);
    return [ran / MICROSECONDS, waited / MICROSECONDS];
  };
  let last = now();
  let [lastRan, lastWaited] = readSchedule();
  setInterval(() => {
    const at = now();
    const [ran, waited] = readSchedule();
    if (at - last > leastMs * MICROSECONDS && pauses.length < MAX_NOTES) {
      pauses.push({ from: last, to: at, ran: ran - lastRan, waited: waited - lastWaited });
    }
    last = at;
    lastRan = ran;
    lastWaited = waited;
  }, TICK_MS).unref();
  // Entries count from the start of the process, on the same clock.
  const origin = now() - performance.now() * MICROSECONDS;
  new PerformanceObserver((list) => {
    for (const { startTime, duration, detail } of list.getEntries() as CollectionEntry[]) {
      if (collections.length >= MAX_NOTES) return;
      const from = origin + startTime * MICROSECONDS;
      collections.push({ from, to: from + duration * MICROSECONDS, kind: detail.kind });
    }
  }).observe({ entryTypes: ['gc'] });
  process.on('exit', () => writeFileSync(file, JSON.stringify({ pauses, collections } satisfies ProbeNotes)));
}

const file = process.env['PAUSE_FILE'];
if (isMainThread && file !== undefined) begin(file, Number(process.env['PAUSE_LEAST_MS'] ?? 4));
