/** Kills the server that stores keys and limits under load, and starts it again later. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../../bench/support/figures.ts';
import { DEVNET, postTo } from '../support/ask-program.ts';
import { createKey, withKeys } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import { findRedisProgram, NO_REDIS_REASON, type RedisServer, startRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Load, type Span } from './load/load.ts';
import { countFailures, describeFailures, type Lane, type LaneReport } from './load/plan.ts';
import type { Scenario } from './scenario.ts';

const REPLICAS = 2;
/** Limit of the key that exceeds it, calls per second over all replicas. */
export const RATE = 100;
const BURST = 20;
const ASKED = 3;
const STEADY = { limit: 200, asks: 60 };
const RECOVERY_MS = 15_000;
/** Accepted range of the observed rate, relative to the limit. */
const TOLERANCE = { least: 0.8, most: 1.25 };

export type OutageOptions = { readonly before: Span; readonly away: Span; readonly after: Span };

export type OutageOutcome = {
  readonly before: readonly LaneReport[];
  readonly away: readonly LaneReport[];
  readonly after: readonly LaneReport[];
  /** Statuses for a key that was not seen before, while the server is away. */
  readonly strangerStatuses: readonly number[];
  /** Time from the server's return until a key created then is accepted everywhere. */
  readonly recoveryMs: number;
  /** Time from a key's revocation until it is accepted nowhere. */
  readonly revocationMs: number;
};

export async function runOutage(options: OutageOptions): Promise<OutageOutcome> {
  // The server must have its keys when it returns.
  const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
  const config = {
    networks: DEVNET,
    access: { valkey: { url: `redis://127.0.0.1:${server.port}` } },
    log: { level: 'warn' },
  };
  const replicas = Array.from({ length: REPLICAS }, () => new Program(config));
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    return await measure(server, replicas, options);
  } finally {
    await Promise.all(replicas.map((replica) => replica.dispose()));
    await server.close();
  }
}

async function measure(
  server: RedisServer,
  replicas: readonly Program[],
  { before: calm, away: outage, after: calmAgain }: OutageOptions,
): Promise<OutageOutcome> {
  const [first] = replicas as [Program];
  const limited = await createKey(first, { rate: { perSecond: RATE, burst: BURST } });
  const steady = await createKey(first, { rate: { perSecond: STEADY.limit, burst: STEADY.limit } });
  const stranger = await createKey(first);
  const lanes = replicas.flatMap(({ port }, index): Lane[] => [
    {
      name: `steady ${index}`,
      transport: index === 0 ? 'http' : 'webSocket',
      port,
      key: steady.key,
      connections: 4,
      perSecond: STEADY.asks / REPLICAS,
    },
    {
      name: `limited ${index}`,
      transport: 'http',
      port,
      key: limited.key,
      connections: 8,
      perSecond: (ASKED * RATE) / REPLICAS,
      mayBeLimited: true,
    },
  ]);
  const load = await Load.begin(lanes);
  // Wait until the buckets are empty and every process knows of the others.
  await sleep(3_000);
  await load.cut();
  await load.goOn(calm);
  const before = await load.cut();
  await server.kill();
  await sleep(outage.ms / 2);
  const strangers = await Promise.all(replicas.map(({ port }) => askAs(port, stranger.key)));
  await load.goOn({ ...outage, ms: outage.ms / 2 });
  const away = await load.cut();
  await server.restart();
  const returned = performance.now();
  const recoveryMs = await waitForNewKey(first, replicas, returned);
  await load.cut();
  await load.goOn(calmAgain);
  const after = await load.cut();
  await load.end();
  load.close();
  const revoked = performance.now();
  await withKeys(first, (book) => book.revoke(steady.record.id));
  await waitUntil(async () => {
    const statuses = await Promise.all(replicas.map(({ port }) => askAs(port, steady.key)));
    return statuses.every((status) => status === 401);
  });
  const revocationMs = performance.now() - revoked;
  return { before, away, after, strangerStatuses: strangers, recoveryMs, revocationMs };
}

async function askAs(port: number, key: string): Promise<number> {
  return (await postTo(port, { method: 'eth_chainId', key })).status;
}

async function waitForNewKey(
  first: Program,
  replicas: readonly Program[],
  returned: number,
): Promise<number> {
  const { key } = await createKey(first);
  await waitUntil(async () => {
    const statuses = await Promise.all(replicas.map(({ port }) => askAs(port, key)));
    return statuses.every((status) => status === 200);
  });
  return performance.now() - returned;
}

/** Admitted rate of the limited key, relative to its limit. */
export function readAdmitted(reports: readonly LaneReport[]): number {
  const limited = reports.filter(({ name }) => name.startsWith('limited'));
  return limited.reduce((sum, { right, seconds }) => sum + right / seconds, 0) / RATE;
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const outcome = await runOutage({ before: { ms: 6_000 }, away: { ms: 20_000 }, after: { ms: 8_000 } });
  const { before, away, after, strangerStatuses, recoveryMs, revocationMs } = outcome;
  const all = [...before, ...away, ...after];
  const failures = countFailures(all);
  const wrong = all.flatMap((report) => report.wrong).length;
  if (failures > 0) say(`failed: ${describeFailures(all)}`);
  say(`a key that no replica knew got ${strangerStatuses.join(', ')} while the server was away`);
  say(
    `a new key opened ${recoveryMs.toFixed(0)} ms after its return, a revoked one no more after ${revocationMs.toFixed(0)} ms`,
  );
  const rate = (name: string, reports: readonly LaneReport[]): Figure => ({
    name: `${name} the limited key got`,
    value: readAdmitted(reports),
    unit: ' of its rate',
    atLeast: TOLERANCE.least,
    below: TOLERANCE.most,
  });
  return [
    rate('before', before),
    rate('away 20 s', away),
    rate('after', after),
    { name: 'failed', value: failures, digits: 0, below: 1 },
    { name: 'wrong', value: wrong, digits: 0, below: 1 },
    { name: 'recovery', value: recoveryMs / 1_000, unit: ' s', below: RECOVERY_MS / 1_000 },
  ];
}

export const SERVER_OUTAGE: Scenario = {
  name: 'the server of keys and limits killed',
  findLack: () => (findRedisProgram() === undefined ? NO_REDIS_REASON : undefined),
  run,
};
