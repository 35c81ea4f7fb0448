/**
 * Cost of observability: requests per CPU-second with counting and the request log on, against neither, through `gateway.handle` in this process
 * (called as a transport calls it for each request) and over HTTP in a server process each. Rounds are interleaved, so that both sides run under the
 * same load of the machine.
 */
import * as z from 'zod';
import { CallRecorder } from '../src/observe/call-recorder.ts';
import { createLogger } from '../src/observe/logger.ts';
import { RequestLog } from '../src/observe/request-log.ts';
import { RequestObserver } from '../src/observe/request-observer.ts';
import { listFaults } from '../src/rpc/errors.ts';
import { createServer } from '../src/server/lifecycle.ts';
import { transportLimitsShape } from '../src/server/options.ts';
import { RequestScope } from '../src/util/request-scope.ts';
import { runAsChild, startServerProcess } from './child.ts';
import {
  createInstantGateway,
  createInstantNetwork,
  HOST,
  KEY,
  PRINCIPAL,
  SCENARIOS,
} from './instant-gateway.ts';
import { encodePost, median, runLoad } from './load.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 9);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 500);
const CONNECTIONS = 16;
const CLIENT = { address: '127.0.0.1', traceParent: undefined };

/** Measures requests per CPU-second. */
type Measure = (body: string) => Promise<number>;

function watchRequests(): RequestObserver {
  const log = createLogger('info', { sink: { write: () => {} } });
  return new RequestObserver(new RequestLog(log, { sample: 0.001, slow: 1_000, failed: true }, listFaults()));
}

function measureInProcess(isWatched: boolean): Measure {
  const network = createInstantNetwork();
  const session = { network, principal: PRINCIPAL };
  const requests = isWatched ? watchRequests() : undefined;
  const gateway = createInstantGateway(network, isWatched ? new CallRecorder(listFaults()) : undefined);
  return async (body) => {
    const bytes = Buffer.from(body);
    const before = process.cpuUsage();
    let count = 0;
    for (const end = performance.now() + ROUND_MS; ; count++) {
      const now = performance.now();
      if (now >= end) break;
      const scope = new RequestScope(now + 30_000, undefined, now);
      const report = requests?.begin('http', CLIENT, now);
      const answered = gateway.handle(bytes, session, scope, report);
      const answer = answered instanceof Promise ? await answered : answered;
      if (report === undefined || typeof answer.body !== 'string') continue;
      report.status = answer.status;
      report.requestBytes = bytes.length;
      report.responseBytes = answer.body.length;
      requests?.end(report, false);
    }
    const { user, system } = process.cpuUsage(before);
    return (1e6 * count) / (user + system);
  };
}

async function serve(isWatched: boolean): Promise<number> {
  const server = createServer({
    gateway: createInstantGateway(undefined, isWatched ? new CallRecorder(listFaults()) : undefined),
    options: {
      listen: { host: '127.0.0.1', port: 0 },
      cors: { origins: ['*'] },
      limits: z.strictObject(transportLimitsShape).parse({}),
    },
    log: createLogger('info'),
    ...(isWatched && { requests: watchRequests() }),
  });
  return (await server.listen()).port;
}

type HttpSide = { readonly measure: Measure; readonly stop: () => void };

async function measureOverHttp(side: 'off' | 'on'): Promise<HttpSide> {
  const server = await startServerProcess(import.meta.url, side);
  const plan = { host: '127.0.0.1', port: server.port, connections: CONNECTIONS, durationMs: ROUND_MS };
  const measure: Measure = async (body) => {
    const before = await server.readCpuSeconds();
    const { requests } = await runLoad({ ...plan, request: encodePost(`/v3/${KEY}`, HOST, body) });
    return requests / ((await server.readCpuSeconds()) - before);
  };
  return { measure, stop: () => server.stop() };
}

async function compare(name: string, body: string, items: number, off: Measure, on: Measure): Promise<void> {
  await off(body);
  await on(body);
  const pairs: { readonly off: number; readonly on: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) pairs.push({ off: await off(body), on: await on(body) });
  const rates = { off: median(pairs.map((pair) => pair.off)), on: median(pairs.map((pair) => pair.on)) };
  const ratio = median(pairs.map((pair) => pair.on / pair.off));
  const cost = (1e9 / rates.on - 1e9 / rates.off) / items;
  console.log(
    `${name.padEnd(36)} ${rates.off.toFixed(0).padStart(8)} off ${rates.on.toFixed(0).padStart(8)} on: ` +
      `${(100 * ratio).toFixed(1).padStart(5)} %, ${cost.toFixed(0)} ns a call`,
  );
}

async function runParent(): Promise<void> {
  const http = { off: await measureOverHttp('off'), on: await measureOverHttp('on') };
  console.log('requests per CPU-second');
  for (const { name, items, body } of SCENARIOS) {
    await compare(`${name}, gateway`, body, items, measureInProcess(false), measureInProcess(true));
    await compare(`${name}, HTTP`, body, items, http.off.measure, http.on.measure);
  }
  http.off.stop();
  http.on.stop();
}

const side = process.argv[2];
await (side === undefined ? runParent() : runAsChild(() => serve(side === 'on')));
