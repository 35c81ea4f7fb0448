/**
 * Loaded into the measured program by `--import`: notes the processor time of the main thread between two turns of its
 * event loop at which a timer could run. Linux only, because it reads /proc. Writes to the file in `STALL_FILE`; see `main-thread.ts`.
 */
import { openSync, readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { BEAT_BYTES, encodeBeat, INTERVAL_MS, NOTED_MS, STALL_FILE } from './stall-file.ts';

const file = process.env[STALL_FILE];
if (isMainThread && file !== undefined) watch(file);

function watch(path: string): void {
  const clock = openSync('/proc/thread-self/schedstat', 'r');
  const notes = openSync(path, 'w');
  const buffer = Buffer.alloc(BEAT_BYTES);
  // The first field is nanoseconds on a processor.
  const read = (): number => {
    const length = readSync(clock, buffer, 0, BEAT_BYTES, 0);
    return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6;
  };
  let before = read();
  let end = writeSync(notes, encodeBeat(before), 0);
  setInterval(() => {
    const now = read();
    const piece = now - before;
    before = now;
    writeSync(notes, encodeBeat(now), 0);
    if (piece >= NOTED_MS) end += writeSync(notes, `${Date.now()} ${piece.toFixed(1)}\n`, end);
  }, INTERVAL_MS).unref();
}
