/**
 * Latency from a node's new head to its subscribers: 1,000 subscriptions of `newHeads` on 10 connections of geth itself, and of the whole service in
 * front of that geth, interleaved. Time runs from the engine API call that makes a block the head, which geth has executed by then. CPU is that of
 * the server's process per notification. `SUBSCRIBERS`, `ROUNDS` and `BLOCKS` (of a round) may be set.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GETH_SKIP } from '../test/geth/node/geth-program.ts';
import { Random } from '../test/geth/requests/random.ts';
import { ForkChain } from '../test/subscriptions/chain/fork-chain.ts';
import { GethProcess } from '../test/subscriptions/nodes/geth-process.ts';
import { Service } from '../test/subscriptions/service.ts';
import type { Program } from '../test/support/program.ts';
import { percentile } from './load.ts';
import { readCpuSeconds } from './support/cpu.ts';
import { concludeWith, type Figure, formatColumns, WANTS_JSON } from './support/figures.ts';
import { HeadWatchers } from './support/head-watchers.ts';

const SUBSCRIBERS = Number(process.env['SUBSCRIBERS'] ?? 1_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const BLOCKS = Number(process.env['BLOCKS'] ?? 20);
const CONNECTIONS = 10;
const FIRST_BLOCKS = 3;
/** Pause between blocks, in which the work that a block causes ends. */
const PAUSE_MS = 100;
/** Time for a service to reach its node. */
const START_MS = 2_000;
const TARGET_MS = 50;
const MICROSECONDS = 1_000_000;

type Side = {
  readonly name: string;
  readonly url: string;
  readonly pid: () => number;
  readonly latencies: number[];
  cpuSeconds: number;
  notifications: number;
};

async function runRound(side: Side, chain: ForkChain, node: GethProcess, isKept: boolean): Promise<void> {
  const watchers = await HeadWatchers.open(side.url, CONNECTIONS, SUBSCRIBERS / CONNECTIONS);
  try {
    const before = readCpuSeconds(side.pid());
    for (let count = 0; count < BLOCKS; count++) {
      const block = chain.extend(chain.head, 1);
      await node.give(block);
      const latencies = await watchers.measure(() => node.setHead(block.hash));
      if (isKept) side.latencies.push(...latencies);
      await sleep(PAUSE_MS);
    }
    if (!isKept) return;
    side.cpuSeconds += readCpuSeconds(side.pid()) - before;
    side.notifications += BLOCKS * SUBSCRIBERS;
  } finally {
    await watchers.close();
  }
}

function describeSide({ name, latencies, cpuSeconds, notifications }: Side): readonly string[] {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): string => percentile(sorted, share).toFixed(1);
  return [name, at(0.5), at(0.99), at(1), ((cpuSeconds / notifications) * MICROSECONDS).toFixed(1)];
}

async function run(): Promise<void> {
  if (GETH_SKIP !== false) throw new Error(GETH_SKIP);
  const chain = new ForkChain(new Random(1, 0));
  const node = await GethProcess.start(chain.genesisText, 'ws');
  try {
    await node.deliver(chain.extend(chain.genesis, FIRST_BLOCKS));
    const service = await Service.start([node.url], chain.genesis.hash, { replicas: 1, workers: 1 });
    const [program] = service.programs as [Program];
    try {
      await sleep(START_MS);
      const blank = { cpuSeconds: 0, notifications: 0 };
      const sides: readonly [Side, Side] = [
        { ...blank, name: 'geth', url: node.webSocketUrl, pid: () => node.pid, latencies: [] },
        {
          ...blank,
          name: 'portcullis',
          url: `ws://127.0.0.1:${program.port}/ws${service.path}`,
          pid: () => program.pid,
          latencies: [],
        },
      ];
      for (let round = 0; round <= ROUNDS; round++)
        for (const side of sides) await runRound(side, chain, node, round > 0);
      report(sides);
    } finally {
      await service.dispose();
    }
  } finally {
    await node.dispose();
  }
}

function report(sides: readonly [Side, Side]): void {
  const rows = sides.map(describeSide);
  if (WANTS_JSON)
    console.log(JSON.stringify(Object.fromEntries(rows.map(([name, ...rest]) => [name, rest]))));
  else console.log(formatColumns([['newHeads', 'p50 ms', 'p99 ms', 'most ms', 'CPU µs each'], ...rows]));
  const figures = rows.flatMap(([name = '', p50, p99, , cpu]): Figure[] => [
    { name: `${name} p50`, value: Number(p50), unit: ' ms', digits: 1 },
    {
      name: `${name} p99`,
      value: Number(p99),
      unit: ' ms',
      digits: 1,
      ...(name === 'portcullis' && { below: TARGET_MS }),
    },
    { name: `${name} CPU`, value: Number(cpu), unit: ' µs', digits: 1 },
  ]);
  concludeWith([{ name: 'subscribers', value: SUBSCRIBERS, digits: 0 }, ...figures]);
}

await run();
