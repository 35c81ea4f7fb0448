/** Kills one of two workers under load. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../../bench/support/figures.ts';
import type { ProcessStatus } from '../../src/observe/status.ts';
import { DEVNET } from '../support/ask-program.ts';
import { Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Load } from './load/load.ts';
import { countFailures, describeFailures, type Lane, type LaneReport } from './load/plan.ts';
import type { Scenario } from './scenario.ts';

const HTTP_CONNECTIONS = 24;
const WEB_SOCKETS = 8;
/** Time in which clients notice broken connections. */
const COMPLETE_MS = 500;

export type KilledOutcome = {
  readonly before: readonly LaneReport[];
  /** Reports from the kill on. */
  readonly kill: readonly LaneReport[];
  readonly after: readonly LaneReport[];
  /** Connections of the killed worker in the last status. */
  readonly connections: number;
  readonly processes: readonly number[];
};

/** @param perSecond requests per transport @param kills number of kills */
export async function runKilledWorker(
  perSecond: Lane['perSecond'],
  kills: number,
): Promise<readonly KilledOutcome[]> {
  const program = new Program({ networks: DEVNET, workers: 2, log: { level: 'warn' } });
  try {
    await program.start();
    const lane = { port: program.port, key: 'demo', perSecond };
    const lanes: readonly Lane[] = [
      { ...lane, name: 'http', transport: 'http', connections: HTTP_CONNECTIONS },
      { ...lane, name: 'webSocket', transport: 'webSocket', connections: WEB_SOCKETS },
    ];
    const outcomes: KilledOutcome[] = [];
    const load = await Load.begin(lanes);
    const killed = new Set<number>();
    for (let count = 0; count < kills; count++) outcomes.push(await killOne(program, load, killed));
    await load.end();
    load.close();
    return outcomes;
  } finally {
    await program.dispose();
  }
}

async function killOne(program: Program, load: Load, killed: Set<number>): Promise<KilledOutcome> {
  const victim = await chooseVictim(program, killed);
  killed.add(victim.pid);
  const before = await load.cut();
  process.kill(victim.pid, 'SIGKILL');
  await sleep(COMPLETE_MS);
  const kill = await load.cut();
  let pids: readonly number[] = [];
  await waitUntil(async () => {
    pids = (await program.readStatus()).processes.map(({ pid }) => pid).filter((pid) => !killed.has(pid));
    return pids.length === 2;
  });
  await load.goOn({ ms: 1_000, untilSeen: true });
  return { before, kill, after: await load.cut(), connections: victim.connections, processes: pids };
}

/** Picks a worker once the status counts every connection: it is up to a second old, and clients connect with their first requests. */
async function chooseVictim(program: Program, killed: ReadonlySet<number>): Promise<ProcessStatus> {
  let serving: readonly ProcessStatus[] = [];
  await waitUntil(async () => {
    serving = (await program.readStatus()).processes.filter(({ pid }) => !killed.has(pid));
    return serving.reduce((sum, { connections }) => sum + connections, 0) >= HTTP_CONNECTIONS + WEB_SOCKETS;
  });
  return serving[0] as ProcessStatus;
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const outcomes = await runKilledWorker('closed loop', 5);
  const figures = outcomes.map(({ kill, before, after, connections }) => {
    const http = kill.filter(({ name }) => name === 'http');
    say(
      `killed with ${connections} connections: ${kill.reduce((sum, { broken }) => sum + broken, 0)} of them had requests on them; failed: ${describeFailures(kill)}`,
    );
    return {
      beyond: Math.max(0, countFailures(http) - http.reduce((sum, { broken }) => sum + broken, 0)),
      broken: kill.reduce((sum, { broken }) => sum + broken, 0) - connections,
      otherwise: countFailures([...before, ...after]),
      failed: countFailures(kill),
    };
  });
  const total = (name: keyof (typeof figures)[number]): number =>
    figures.reduce((sum, figure) => sum + figure[name], 0);
  return [
    { name: 'kills', value: outcomes.length, digits: 0, atLeast: 1 },
    { name: 'failed in flight', value: total('failed'), digits: 0 },
    {
      name: 'connections broken beyond its own',
      value: Math.max(...figures.map(({ broken }) => broken)),
      digits: 0,
      below: 1,
    },
    { name: 'failed otherwise', value: total('otherwise') + total('beyond'), digits: 0, below: 1 },
  ];
}

export const KILLED_WORKER: Scenario = { name: 'a worker killed', findLack: () => undefined, run };
