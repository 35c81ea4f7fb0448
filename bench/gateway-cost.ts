/**
 * Cost of a request outside the engine: microseconds of CPU of a server process per request over HTTP, and of this process for `gateway.handle`
 * alone. The server's chain answers every call at once. With the `build` folder of another checkout that has this bench as its argument, it measures
 * that one interleaved with its own.
 */
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { createLogger } from '../src/observe/logger.ts';
import { createServer } from '../src/server/lifecycle.ts';
import { transportLimitsShape } from '../src/server/options.ts';
import { runAsChild, type ServerProcess, startServerProcess } from './child.ts';
import { createInstantGateway, HOST, KEY, SCENARIOS, type Scenario } from './instant-gateway.ts';
import { encodePost, median, runLoad } from './load.ts';

const CONNECTIONS = 16;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_000);

async function serve(): Promise<number> {
  const server = createServer({
    gateway: createInstantGateway(),
    options: {
      listen: { host: '127.0.0.1', port: 0 },
      cors: { origins: ['*'] },
      limits: z.strictObject(transportLimitsShape).parse({}),
    },
    log: createLogger('info'),
  });
  return (await server.listen()).port;
}

type Build = {
  readonly label: string;
  readonly server: ServerProcess;
  readonly timeHandle: (body: string, durationMs: number) => Promise<number>;
};

async function openBuild(label: string, folderUrl: string): Promise<Build> {
  const own: typeof import('./instant-gateway.ts') = await import(`${folderUrl}/instant-gateway.js`);
  const server = await startServerProcess(`${folderUrl}/gateway-cost.js`, 'serve');
  return { label, server, timeHandle: own.timeHandle };
}

async function measureOverHttp(server: ServerProcess, body: string): Promise<number> {
  const request = encodePost(`/v3/${KEY}`, HOST, body);
  const plan = { host: '127.0.0.1', port: server.port, request, connections: CONNECTIONS };
  const before = await server.readCpuSeconds();
  const { requests } = await runLoad({ ...plan, durationMs: ROUND_MS });
  return (1e6 * ((await server.readCpuSeconds()) - before)) / requests;
}

async function runScenario({ name, items, body }: Scenario, builds: readonly Build[]): Promise<void> {
  const rows = builds.map((build) => ({ ...build, overHttp: [] as number[], inGateway: [] as number[] }));
  for (const { server } of rows) await measureOverHttp(server, body);
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) {
      row.overHttp.push(await measureOverHttp(row.server, body));
      row.inGateway.push(await row.timeHandle(body, ROUND_MS / 2));
    }
  }
  for (const { label, overHttp, inGateway } of rows) {
    const [http, gateway] = [overHttp, inGateway].map((values) =>
      (median(values) / items).toFixed(2).padStart(6),
    );
    const unit = items > 1 ? `, each of ${items}` : '';
    console.log(
      `${name.padEnd(22)} ${label.padEnd(5)} ${http} us over HTTP ${gateway} us in the gateway alone${unit}`,
    );
  }
}

async function runParent(otherBuild: string | undefined): Promise<void> {
  const builds = [await openBuild('this', pathToFileURL(import.meta.dirname).href)];
  if (otherBuild !== undefined) {
    builds.push(await openBuild('other', pathToFileURL(`${otherBuild}/bench`).href));
  }
  for (const scenario of SCENARIOS) await runScenario(scenario, builds);
  for (const { server } of builds) server.stop();
}

await (process.argv[2] === 'serve' ? runAsChild(serve) : runParent(process.argv[2]));
