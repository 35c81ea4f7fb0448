/**
 * Three replicas of two workers each share a server and are restarted one after another, behind a proxy. Behind nginx each
 * request has a separate connection: nginx learns of a restart when it reloads its configuration, and then closes idle client
 * connections, whether or not a request is on its way to it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../../bench/support/figures.ts';
import { DEVNET } from '../support/ask-program.ts';
import { createKey } from '../support/keys.ts';
import { Program } from '../support/program.ts';
import { findProxy, type ProxyName } from '../support/proxy-process.ts';
import { findFreePort, findRedisProgram, NO_REDIS_REASON, startRedis } from '../support/redis.ts';
import { Load } from './load/load.ts';
import { countFailures, describeFailures, type Lane, type LaneReport } from './load/plan.ts';
import type { Scenario } from './scenario.ts';
import { startProxy } from './support/proxy.ts';
import type { RunningProxy } from './support/running-proxy.ts';

const REPLICAS = 3;
const FULL: RollingLoad = {
  http: { connections: 32, perSecond: 400 },
  webSocket: { connections: 60, perSecond: 180 },
};
const RATE = 10_000;
/** Pause between restarts, and before and after them. */
const PAUSE_MS = 1_500;
const CLEAN = ['1001', '1012'];

export type RollingLoad = Readonly<
  Record<'http' | 'webSocket', { readonly connections: number; readonly perSecond: number }>
>;

export type RollingOutcome = {
  readonly http: LaneReport;
  readonly webSocket: LaneReport;
  readonly restarts: number;
  /** Exit codes or signals of the replicas. */
  readonly exits: readonly (number | string | null)[];
};

export async function runRollingRestart(
  name: ProxyName,
  restarts: number = REPLICAS,
  load: RollingLoad = FULL,
): Promise<RollingOutcome> {
  const server = await startRedis();
  const replicas: Program[] = [];
  let proxy: RunningProxy | undefined;
  try {
    for (let count = 0; count < REPLICAS; count++) {
      replicas.push(
        new Program({
          // Each replica restarts on the same port.
          listen: { port: await findFreePort(), trustedProxies: ['loopback'] },
          workers: 2,
          networks: DEVNET,
          // A newly started worker reads the key: on a busy machine it may wait longer than by default.
          access: { valkey: { url: `redis://127.0.0.1:${server.port}`, timeLimit: '500ms' } },
          limits: { drainDelay: '1s' },
          log: { level: 'warn' },
        }),
      );
    }
    const { key } = await createKey(replicas[0] as Program, { rate: { perSecond: RATE, burst: RATE } });
    await Promise.all(replicas.map((replica) => replica.start()));
    proxy = await startProxy(
      name,
      replicas.map(({ port }) => port),
    );
    return await measure(replicas.slice(0, restarts), proxy, key, { ...load, isFleeting: name === 'nginx' });
  } finally {
    await proxy?.close();
    await Promise.all(replicas.map((replica) => replica.dispose()));
    await server.close();
  }
}

async function measure(
  replicas: readonly Program[],
  proxy: RunningProxy,
  key: string,
  { http, webSocket, isFleeting }: RollingLoad & { readonly isFleeting: boolean },
): Promise<RollingOutcome> {
  const { port } = proxy;
  const lanes: readonly Lane[] = [
    { name: 'http', transport: 'http', port, key, isFleeting, ...http },
    { name: 'webSocket', transport: 'webSocket', port, key, ...webSocket },
  ];
  const load = await Load.begin(lanes);
  const exits: (number | string | null)[] = [];
  await sleep(PAUSE_MS);
  for (const [index, replica] of replicas.entries()) {
    await proxy.takeOut(index);
    exits.push(await replica.stop());
    await replica.start();
    await proxy.putBack(index);
    await sleep(PAUSE_MS);
  }
  const [ofHttp, ofWebSocket] = (await load.end()) as [LaneReport, LaneReport];
  load.close();
  return { http: ofHttp, webSocket: ofWebSocket, restarts: replicas.length, exits };
}

/** Counts WebSockets that were closed other than by a replica that goes away. */
export function countUnclean({ closes }: LaneReport): number {
  return Object.entries(closes).reduce((sum, [code, count]) => sum + (CLEAN.includes(code) ? 0 : count), 0);
}

export function countClean({ closes }: LaneReport): number {
  return Object.entries(closes).reduce((sum, [code, count]) => sum + (CLEAN.includes(code) ? count : 0), 0);
}

function check(outcome: RollingOutcome, say: (line: string) => void): readonly Figure[] {
  const { http, webSocket, restarts, exits } = outcome;
  say(`${http.right} requests over HTTP, ${webSocket.right} over WebSocket right; exits ${exits.join(', ')}`);
  say(
    `WebSockets closed by code: ${JSON.stringify(webSocket.closes)}; ${webSocket.crossed} messages met the close on their way and were sent again`,
  );
  const failures = countFailures([http, webSocket]);
  if (failures > 0) say(`failed: ${describeFailures([http, webSocket])}`);
  return [
    { name: 'restarts', value: restarts, digits: 0, atLeast: REPLICAS },
    { name: 'failed over HTTP', value: countFailures([http]), digits: 0, below: 1 },
    { name: 'over WebSocket', value: countFailures([webSocket]), digits: 0, below: 1 },
    { name: 'closed with 1001 or 1012', value: countClean(webSocket), digits: 0, atLeast: 1 },
    { name: 'otherwise', value: countUnclean(webSocket), digits: 0, below: 1 },
    { name: 'exits but 0', value: exits.filter((code) => code !== 0).length, digits: 0, below: 1 },
  ];
}

/** Describes what the machine lacks for the test; undefined when nothing is missing. */
export function findRollingLack(name: ProxyName): string | undefined {
  if (findRedisProgram() === undefined) return NO_REDIS_REASON;
  return findProxy(name) === undefined ? `there is no ${name}: install it to run this` : undefined;
}

export const ROLLING_RESTARTS: readonly Scenario[] = (['haproxy', 'nginx'] as const).map((name) => ({
  name: `rolling restart behind ${name}`,
  findLack: () => findRollingLack(name),
  run: async (say) => check(await runRollingRestart(name), say),
}));
