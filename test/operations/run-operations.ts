/**
 * Scenarios of a service in operation, against the real program. Each scenario prints its observations; the last line has all
 * figures. Exits with 1 when one is outside its limit. `ONLY=text` runs scenarios whose name contains the text.
 */
import { cpus, loadavg } from 'node:os';
import { describeFigure, describeTarget, type Figure, isMet } from '../../bench/support/figures.ts';
import { KILLED_WORKER } from './killed-worker.ts';
import { NOISY_NEIGHBOUR, NOISY_NEIGHBOUR_SHARED } from './noisy-neighbour.ts';
import { ROLLING_RESTARTS } from './rolling-restart.ts';
import type { Scenario } from './scenario.ts';
import { SERVER_OUTAGE } from './server-outage.ts';
import { SLOW_CLIENTS } from './slow-clients.ts';
import { WATCHED_COST } from './watched-cost.ts';

const SCENARIOS: readonly Scenario[] = [
  NOISY_NEIGHBOUR,
  NOISY_NEIGHBOUR_SHARED,
  SERVER_OUTAGE,
  ...ROLLING_RESTARTS,
  KILLED_WORKER,
  // These bind this process and its children to one processor: they must be last.
  SLOW_CLIENTS,
  WATCHED_COST,
];
const ONLY = process.env['ONLY'] ?? '';

console.log(`${cpus().length} processors, of which ${loadavg()[0]?.toFixed(1)} were busy before`);
const results: string[] = [];
const missed: string[] = [];
for (const scenario of SCENARIOS.filter(({ name }) => name.includes(ONLY))) await report(scenario);
const verdict = missed.length === 0 ? 'all as they should be' : `MISSED: ${missed.join(', ')}`;
console.log(`${results.join('; ')}; ${verdict}`);
process.exitCode = missed.length === 0 && results.length > 0 ? 0 : 1;

async function report({ name, findLack, run }: Scenario): Promise<void> {
  const lack = findLack();
  if (lack !== undefined) {
    console.log(`${name}: SKIPPED, ${lack}`);
    results.push(`${name} SKIPPED`);
    return;
  }
  const startedAt = performance.now();
  console.log(`${name}:`);
  const figures = await tryRun(run);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const line = figures.map(describeFigure).join(', ');
  console.log(`  ${line} (${seconds} s)`);
  results.push(`${name}: ${line}`);
  for (const figure of figures) if (!isMet(figure)) missed.push(`${name}: ${describeTarget(figure)}`);
}

async function tryRun(run: Scenario['run']): Promise<readonly Figure[]> {
  try {
    return await run((line) => console.log(`  ${line}`));
  } catch (error) {
    console.log(`  ${(error as Error).stack}`);
    return [{ name: 'did not come to its end', value: Number.NaN, atLeast: 0 }];
  }
}
