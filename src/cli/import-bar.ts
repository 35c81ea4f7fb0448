import { performance } from 'node:perf_hooks';
import { SingleBar } from 'cli-progress';
import type { ImportProgress } from './import-progress.ts';

const NON_TERMINAL_INTERVAL_MS = 5_000;

/** A bar with blocks/s, txs/s, Mgas/s and the time left; a line every few seconds where there is no terminal. */
export function createImportBar(stream: NodeJS.WriteStream): ImportProgress {
  const bar = new SingleBar({
    stream,
    fps: 5,
    hideCursor: true,
    clearOnComplete: false,
    noTTYOutput: true,
    notTTYSchedule: NON_TERMINAL_INTERVAL_MS,
    etaBuffer: 100,
    format:
      'block {block} [{bar}] {percentage}% | {blocksRate} blocks/s {txsRate} txs/s {gasRate} Mgas/s | {eta_formatted} left',
  });
  let blocks = 0;
  let transactions = 0;
  let gas = 0n;
  let startedAt = 0;
  return {
    start(totalBytes) {
      startedAt = performance.now();
      bar.start(totalBytes, 0, { block: '-', blocksRate: '-', txsRate: '-', gasRate: '-' });
    },
    advance(block, kind, bytesRead) {
      if (kind === 'imported') {
        blocks++;
        transactions += block.transactions.length;
        gas += block.header.gasUsed;
      }
      const seconds = Math.max((performance.now() - startedAt) / 1000, 0.001);
      bar.update(bytesRead, {
        block: block.header.number.toString(),
        blocksRate: (blocks / seconds).toFixed(0),
        txsRate: (transactions / seconds).toFixed(0),
        gasRate: (Number(gas) / 1e6 / seconds).toFixed(1),
      });
    },
    stop() {
      bar.stop();
    },
  };
}
