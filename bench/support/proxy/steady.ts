import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, runLoad } from '../../load.ts';
import { readWaitSeconds } from '../cpu.ts';
import type { Goal } from './goals.ts';
import type { Program } from './program.ts';
import { planLoad, type Row, type Target } from './rows.ts';

/** Prometheus's usual scrape interval. */
const SCRAPE_MS = 15_000;
const MAX_STALL_MS = 20;
/** Share of the time in which other programs had the processor; beyond it, stalls are not attributed to the program. */
const MAX_WAITED = 0.1;
const SILENCES: readonly number[] = [5, 10, 20, 50, 100];
const MS = 1_000;

type LoopDelay = { readonly p50: number; readonly p99: number; readonly max: number };

/**
 * Runs one row for a long time. It reports the delay of the program's event loop, by its own metric, and intervals in which no connection got an
 * answer, which may also come from the generator, the nodes and the machine.
 */
export async function runSteadily(program: Program, row: Row, durationMs: number): Promise<readonly Goal[]> {
  // The first read of the metric starts its samples.
  await readLoopDelay(program);
  const end = new AbortController();
  const waitedBefore = readWaitSeconds(program.pid);
  const scraping = scrape(program, end.signal);
  const plan = planLoad(row, program.targetOf(row) as Target, durationMs);
  const { requests, seconds, latencies, silences } = await runLoad(plan).finally(() => end.abort());
  const delays = [...(await scraping), await readLoopDelay(program)];
  const worst = (figure: keyof LoopDelay): number => Math.max(...delays.map((delay) => delay[figure]));
  const stalls = worst('max');
  const waited = (readWaitSeconds(program.pid) - waitedBefore) / seconds;
  const counts = SILENCES.map((least) => `> ${least} ms: ${silences.filter((ms) => ms > least).length}`);
  console.log(
    [
      `${seconds.toFixed(0)} s of ${row.name}: ${(requests / seconds).toFixed(0)} req/s, ` +
        `p50 ${percentile(latencies, 0.5).toFixed(2)} ms, p99 ${percentile(latencies, 0.99).toFixed(2)} ms, ` +
        `p99.9 ${percentile(latencies, 0.999).toFixed(2)} ms, longest ${percentile(latencies, 1).toFixed(1)} ms`,
      `event-loop delay (the program's metric): p50 ${worst('p50').toFixed(2)} ms, p99 ${worst('p99').toFixed(2)} ms, ` +
        `longest ${stalls.toFixed(1)} ms; ${(100 * waited).toFixed(0)} % of the time another thread had its processor`,
      `times without any answer: ${counts.join(', ')}`,
    ].join('\n'),
  );
  const note = waited > MAX_WAITED ? ', on a machine too busy to judge it' : '';
  return [
    { name: `longest stall of the event loop${note}`, value: stalls, atMost: MAX_STALL_MS, unit: ' ms' },
  ];
}

async function scrape(program: Program, signal: AbortSignal): Promise<readonly LoopDelay[]> {
  const delays: LoopDelay[] = [];
  for (;;) {
    await sleep(SCRAPE_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return delays;
    delays.push(await readLoopDelay(program));
  }
}

/** Returns the event loop's delays, milliseconds. */
async function readLoopDelay(program: Program): Promise<LoopDelay> {
  const text = await program.readMetrics();
  const read = (percentile: number): number => {
    const line = new RegExp(
      `^portcullis_event_loop_delay_seconds\\{percentile="${percentile}"\\} (\\S+)$`,
      'm',
    );
    return MS * Number(line.exec(text)?.[1] ?? Number.NaN);
  };
  return { p50: read(50), p99: read(99), max: read(100) };
}
