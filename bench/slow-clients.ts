/**
 * Small calls beside clients that only occupy connections: 2,000 idle WebSockets, and 200 connections on which the head of a request arrives byte by
 * byte and which reopen whenever they are closed. 1,000 chain ids a second at fixed times, first alone, then beside them, interleaved; latencies
 * count from when a request was due. It reports the ratio of the 99th percentiles, the median of the rounds, and the growth of the program's memory
 * per slow client of each kind. The slow clients run in their own process. `--json` prints the rounds.
 */
import { median } from './load.ts';
import { concludeWith, formatColumns, WANTS_JSON } from './support/figures.ts';
import type { PacedResult } from './support/paced-load.ts';
import { measureSlowClients, type SlowClientsRounds } from './support/slow-clients.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 2_500);
const TARGET_RATIO = 1.5;

function report(rounds: SlowClientsRounds): void {
  const { alone, beside, bytesPerIdle, bytesPerLoris } = rounds;
  if (WANTS_JSON) console.log(JSON.stringify(rounds));
  else {
    const describe = (name: string, results: readonly PacedResult[]): string[] => [
      name,
      median(results.map(({ p50 }) => p50)).toFixed(2),
      median(results.map(({ p99 }) => p99)).toFixed(2),
      String(results.reduce((sum, { failed }) => sum + failed, 0)),
    ];
    const header = ['chain ids', 'p50 ms', 'p99 ms', 'failed'];
    console.log(formatColumns([header, describe('alone', alone), describe('beside slow clients', beside)]));
  }
  const ratios = beside.map(({ p99 }, i) => p99 / (alone[i]?.p99 ?? Number.NaN));
  concludeWith([
    { name: 'p99 alone', value: median(alone.map(({ p99 }) => p99)), unit: ' ms' },
    { name: 'beside slow clients', value: median(beside.map(({ p99 }) => p99)), unit: ' ms' },
    { name: 'ratio', value: median(ratios), below: TARGET_RATIO },
    { name: 'KiB for each idle WebSocket', value: bytesPerIdle / 1_024, digits: 1 },
    { name: 'for each slow connection', value: bytesPerLoris / 1_024, digits: 1 },
    { name: 'failed', value: beside.reduce((sum, one) => sum + one.failed, 0), digits: 0, below: 1 },
  ]);
}

report(
  await measureSlowClients({
    rounds: ROUNDS,
    roundMs: ROUND_MS,
    idle: 2_000,
    lorises: 200,
    perSecond: 1_000,
  }),
);
