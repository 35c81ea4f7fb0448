import { performance } from 'node:perf_hooks';
import { SingleBar } from 'cli-progress';
import { countOf } from '../util/count-of.ts';
import type { ImportProgress } from './import-progress.ts';

const NON_TERMINAL_INTERVAL_MS = 5_000;
/** Minimum time before the remaining time is estimated, ms. */
const MIN_ESTIMATE_MS = 1_000;

/** A remaining time above this maximum is shown as unknown. */
const MAX_ESTIMATE_SECONDS = 100 * 3_600;

/** Creates a progress bar with blocks/s, txs/s, Mgas/s and the remaining time; without a terminal, a line is printed every few seconds. */
export function createImportBar(stream: NodeJS.WriteStream): ImportProgress {
  const bar = new SingleBar({
    stream,
    fps: 5,
    hideCursor: true,
    clearOnComplete: false,
    noTTYOutput: true,
    notTTYSchedule: NON_TERMINAL_INTERVAL_MS,
    // The bar's own handler would swallow a signal, and the import would continue.
    gracefulExit: false,
    format:
      'block {block} [{bar}] {percentage}% | {blocksRate} blocks/s {txsRate} txs/s {gasRate} Mgas/s | {left} left',
  });
  // Restores the cursor of the terminal however the process ends.
  const restore = (): void => bar.stop();
  let total = 0;
  let blocks = 0;
  let transactions = 0;
  let gas = 0n;
  let startedAt = 0;
  let startedFrom = 0;
  return {
    index(done, of) {
      stream.write(`building the index of transactions and logs: ${done} of ${countOf(of, 'block')}\n`);
    },
    start(totalBytes) {
      total = totalBytes;
      startedAt = performance.now();
      process.once('exit', restore);
      bar.start(totalBytes, 0, { block: '-', blocksRate: '-', txsRate: '-', gasRate: '-', left: '-' });
    },
    advance({ header, transactions: { length } }, kind, bytesDone, bytesCommitted) {
      if (kind === 'imported') {
        blocks++;
        transactions += length;
        gas += header.gasUsed;
      } else if (blocks === 0) {
        // Blocks that the store already has do not count for the speed, so the measurement starts again.
        [startedAt, startedFrom] = [performance.now(), bytesDone];
      }
      const elapsed = Math.max(performance.now() - startedAt, 1);
      const perSecond = (count: number): number => (count / elapsed) * 1_000;
      // On a full disk, executed but uncommitted blocks would be lost, so the bar shows committed blocks.
      bar.update(bytesCommitted, {
        block: header.number.toString(),
        blocksRate: perSecond(blocks).toFixed(0),
        txsRate: perSecond(transactions).toFixed(0),
        gasRate: perSecond(Number(gas) / 1e6).toFixed(1),
        left: describeTimeLeft(elapsed, bytesDone - startedFrom, total - bytesDone),
      });
    },
    stop(isComplete) {
      process.removeListener('exit', restore);
      if (isComplete) bar.update(total, { left: '0s' });
      bar.stop();
    },
  };
}

/** Formats the remaining time as `1h02m`, `3m05s` or `12s`; a dash if there is no estimate. */
export function describeTimeLeft(elapsedMs: number, doneBytes: number, leftBytes: number): string {
  const seconds = Math.ceil(((elapsedMs / doneBytes) * Math.max(0, leftBytes)) / 1_000);
  if (elapsedMs < MIN_ESTIMATE_MS || !(seconds < MAX_ESTIMATE_SECONDS)) return '-';
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const pad = (value: number): string => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}h${pad(minutes)}m`;
  return minutes > 0 ? `${minutes}m${pad(seconds % 60)}s` : `${seconds}s`;
}
