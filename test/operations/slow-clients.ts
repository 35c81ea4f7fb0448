/** 2,000 silent WebSockets and 200 connections that send one byte a second, beside ordinary clients. */
import { median } from '../../bench/load.ts';
import type { Figure } from '../../bench/support/figures.ts';
import { measureSlowClients } from '../../bench/support/slow-clients.ts';
import type { Scenario } from './scenario.ts';
import { medianRatio } from './support/latency.ts';

const OPTIONS = { rounds: 9, roundMs: 2_000, idle: 2_000, lorises: 200, perSecond: 1_000 };
const MAX_RATIO = 1.5;

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const { alone, beside, bytesPerIdle, bytesPerLoris } = await measureSlowClients(OPTIONS);
  const [p99Alone, p99Beside] = [alone, beside].map((results) => results.map(({ p99 }) => p99)) as [
    number[],
    number[],
  ];
  say(`p99 alone ${median(p99Alone).toFixed(2)} ms, beside them ${median(p99Beside).toFixed(2)} ms`);
  const failed = [...alone, ...beside].reduce((sum, one) => sum + one.failed, 0);
  const failure = [...alone, ...beside].find((one) => one.failure !== undefined)?.failure;
  if (failure !== undefined) say(`failed: ${failure}`);
  return [
    { name: 'p99 ratio', value: medianRatio(p99Beside, p99Alone), below: MAX_RATIO },
    { name: 'failed', value: failed, digits: 0, below: 1 },
    { name: 'for an idle WebSocket', value: bytesPerIdle / 1_024, unit: ' KiB', digits: 1 },
    { name: 'for a slow connection', value: bytesPerLoris / 1_024, unit: ' KiB', digits: 1 },
  ];
}

export const SLOW_CLIENTS: Scenario = { name: 'slow clients', findLack: () => undefined, run };
