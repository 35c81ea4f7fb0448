/**
 * Cost of the HTTP layer: requests per CPU-second of a bare node:http server that answers fixed bytes, against this server with a gateway that
 * answers the same bytes. Included: routing, admission by host and key from in-memory maps, header checks, reading the body, the request scope, the
 * answer. Not included: JSON-RPC. Each runs in its own process; the same generator loads them in interleaved rounds.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import type { Gateway } from '../src/gateway/gateway.ts';
import type { Network } from '../src/methods/network.ts';
import { createLogger } from '../src/observe/logger.ts';
import { createServer } from '../src/server/lifecycle.ts';
import { transportLimitsShape } from '../src/server/options.ts';
import { runAsChild, type ServerProcess, startServerProcess } from './child.ts';
import { encodePost, type LoadPlan, type LoadResult, median, percentile, runLoad } from './load.ts';

const HOST = 'bench.localhost';
const KEY = '0123456789abcdef0123456789abcdef';
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x539"}';
const TARGET = 0.85;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = 2_000;
const CONNECTIONS = 16;

/** `bare` leaves the body unread; `bare-reading` also reads it, which every server on node:http has to do. */
const SUBJECTS = ['bare', 'bare-reading', 'portcullis'] as const;
type Subject = (typeof SUBJECTS)[number];

async function serve(subject: Subject): Promise<number> {
  return subject === 'portcullis' ? servePortcullis() : serveBare(subject === 'bare-reading');
}

async function serveBare(readsBody: boolean): Promise<number> {
  const bytes = Buffer.from(ANSWER);
  const server = createHttpServer((request, response) => {
    const answer = (): void => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
      response.end(bytes);
    };
    if (!readsBody) {
      answer();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function servePortcullis(): Promise<number> {
  const limits = z.strictObject(transportLimitsShape).parse({});
  const server = createServer({
    gateway: createFixedGateway(),
    options: { listen: { host: '127.0.0.1', port: 0 }, cors: { origins: ['*'] }, limits },
    log: createLogger('info'),
  });
  return (await server.listen()).port;
}

/** Creates a gateway that admits by host and key and answers fixed bytes. */
function createFixedGateway(): Gateway {
  const networks = new Map([[HOST, { name: 'bench' } as Network]]);
  const principals = new Map([[KEY, { id: 'bench', name: 'bench' }]]);
  const refused = { status: 404, body: '{}' };
  return {
    openRpc: '{}',
    bodiesInFlight: 0,
    refuse: () => refused,
    chargeUnread: () => undefined,
    returnUnread: () => {},
    findRemainingCredits: () => undefined,
    noteRefusal: () => {},
    chargeNotifications: () => true,
    async admit({ host, key }) {
      const network = networks.get(host ?? '');
      const principal = principals.get(key ?? '');
      return network === undefined || principal === undefined ? { refused } : { network, principal };
    },
    async handle() {
      return { status: 200, body: ANSWER };
    },
  };
}

type Measured = {
  readonly server: ServerProcess;
  readonly plan: LoadPlan;
  readonly perCpuSecond: number[];
  last: LoadResult;
};

async function start(subject: Subject): Promise<Measured> {
  const server = await startServerProcess(import.meta.url, subject);
  const request = encodePost(`/v3/${KEY}`, HOST, REQUEST);
  const plan: LoadPlan = {
    host: '127.0.0.1',
    port: server.port,
    request,
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
  };
  return { server, plan, perCpuSecond: [], last: await runLoad(plan) };
}

async function measure(subject: Measured): Promise<void> {
  const before = await subject.server.readCpuSeconds();
  subject.last = await runLoad(subject.plan);
  const used = (await subject.server.readCpuSeconds()) - before;
  subject.perCpuSecond.push(subject.last.requests / used);
}

async function runParent(): Promise<void> {
  const measured = new Map<Subject, Measured>();
  for (const subject of SUBJECTS) measured.set(subject, await start(subject));
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of measured.values()) await measure(subject);
  }
  const medians = new Map<Subject, number>();
  for (const [name, { perCpuSecond, last, server }] of measured) {
    medians.set(name, median(perCpuSecond));
    const [p50, p99] = [percentile(last.latencies, 0.5), percentile(last.latencies, 0.99)];
    const rate = Math.round(median(perCpuSecond));
    console.log(
      `${name.padEnd(13)} ${rate} requests/CPU-s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms`,
    );
    server.stop();
  }
  const ours = medians.get('portcullis') ?? Number.NaN;
  const ratios = (['bare', 'bare-reading'] as const).map((name) => {
    const ratio = ours / (medians.get(name) ?? Number.NaN);
    console.log(`ratio to ${name}: ${ratio.toFixed(3)}`);
    return ratio;
  });
  const met = ratios.every((ratio) => ratio >= TARGET);
  console.log(`target ${TARGET} of either: ${met ? 'met' : 'MISSED'}`);
  process.exitCode = met ? 0 : 1;
}

const subject = SUBJECTS.find((name) => name === process.argv[2]);
await (subject === undefined ? runParent() : runAsChild(() => serve(subject)));
