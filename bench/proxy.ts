/**
 * What Portcullis costs in front of a real node: one anvil, asked directly and through Portcullis in turns, by the
 * same generator. Latency at one connection, as what is added to the direct answer's; at 16 connections Portcullis'
 * own CPU time per request that it passes on (no two are the same) and per answer that it has kept. Beside it, for
 * comparison, a proxy that does nothing but pass bytes. A question about a block that Portcullis has not seen yet
 * makes it ask the node for that block as well: this is shown, and not counted. Rounds: ROUNDS (5), their length
 * ROUND_MS (1500).
 */
import type { Anvil } from '../test/support/anvil.ts';
import { serveBareProxy } from './bare-proxy.ts';
import { runAsChild, type ServerProcess, startServerProcess } from './child.ts';
import { encodePost, type LoadResult, median, percentile, runLoad } from './load.ts';
import {
  type Call,
  createRows,
  type Figure,
  KEPT,
  PASSED_ON,
  prepareNode,
  type Requests,
  type Row,
  varyCalls,
} from './proxy-questions.ts';
import { awaitHead, serveNetwork } from './upstream-service.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_500);
const CONNECTIONS = 16;
/** Requests of one round over blocks that nobody has asked for yet. */
const FRESH_REQUESTS = Number(process.env['FRESH_REQUESTS'] ?? 800);
const MICROSECONDS = 1e6;
const ADDED_P50_MS = 0.15;

type Target = 'direct' | 'bare' | 'portcullis';
type Proxy = Exclude<Target, 'direct'>;
const PROXIES: readonly Proxy[] = ['bare', 'portcullis'];

/** Loads one of the servers; all see the same requests in the same form. */
class Subjects {
  readonly #ports: Readonly<Record<Target, number>>;
  readonly #proxies: Readonly<Record<Proxy, ServerProcess>>;

  constructor(node: Anvil, proxies: Readonly<Record<Proxy, ServerProcess>>) {
    const { bare, portcullis } = proxies;
    this.#ports = { direct: node.port, bare: bare.port, portcullis: portcullis.port };
    this.#proxies = proxies;
  }

  load(target: Target, requests: Requests, connections: number, maxRequests?: number): Promise<LoadResult> {
    const encode = (text: string): Uint8Array =>
      encodePost(target === 'portcullis' ? '/v3/demo' : '/', '127.0.0.1', text);
    return runLoad({
      host: '127.0.0.1',
      port: this.#ports[target],
      request: typeof requests === 'string' ? encode(requests) : () => encode(requests()),
      connections,
      durationMs: ROUND_MS,
      ...(maxRequests !== undefined && { maxRequests }),
    });
  }

  /** CPU microseconds of a proxy per request. */
  async measureCpu(proxy: Proxy, requests: Requests, maxRequests?: number): Promise<number> {
    const process = this.#proxies[proxy];
    const before = await process.readCpuSeconds();
    const answered = (await this.load(proxy, requests, CONNECTIONS, maxRequests)).requests;
    return ((await process.readCpuSeconds()) - before) * (MICROSECONDS / answered);
  }
}

type Added = { readonly p50: number; readonly p99: number };

/** Milliseconds that the proxies add to an eth_call at one connection: medians of the rounds' differences. */
async function measureLatency(subjects: Subjects, call: Call): Promise<Readonly<Record<Proxy, Added>>> {
  const requests = varyCalls(call);
  const added = {
    bare: { p50: [] as number[], p99: [] as number[] },
    portcullis: { p50: [] as number[], p99: [] as number[] },
  };
  for (let round = 0; round <= ROUNDS; round++) {
    const direct = (await subjects.load('direct', requests, 1)).latencies;
    for (const proxy of PROXIES) {
      const through = (await subjects.load(proxy, requests, 1)).latencies;
      // The first round warms up.
      if (round === 0) continue;
      added[proxy].p50.push(percentile(through, 0.5) - percentile(direct, 0.5));
      added[proxy].p99.push(percentile(through, 0.99) - percentile(direct, 0.99));
    }
  }
  const summarize = (proxy: Proxy): Added => ({
    p50: median(added[proxy].p50),
    p99: median(added[proxy].p99),
  });
  return { bare: summarize('bare'), portcullis: summarize('portcullis') };
}

/** Prints each row's CPU microseconds per request at 16 connections; returns the worst of each figure. */
async function measureCosts(
  subjects: Subjects,
  rows: readonly Row[],
): Promise<Readonly<Record<Figure, number>>> {
  const samples = rows.map((row) => ({ row, portcullis: [] as number[], bare: [] as number[] }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { row, portcullis, bare } of samples) {
      const limit = row.usesBlocks ? FRESH_REQUESTS : undefined;
      const cost = await subjects.measureCpu('portcullis', row.requests, limit);
      const isCall = row.target?.figure === 'passed on' && !row.usesBlocks;
      const compared = isCall ? await subjects.measureCpu('bare', row.requests) : Number.NaN;
      if (round === 0) continue;
      portcullis.push(cost);
      bare.push(compared);
    }
  }
  const worst = { 'passed on': 0, kept: 0 };
  for (const { row, portcullis, bare } of samples) {
    const [ours, theirs] = [median(portcullis), median(bare)];
    const comparison = Number.isNaN(theirs) ? '' : `, the bare proxy ${theirs.toFixed(1)} us`;
    const figure = row.target?.figure;
    console.log(
      `${(figure ?? 'not counted').padEnd(11)} ${row.name.padEnd(52)} ${ours.toFixed(1)} us${comparison}`,
    );
    if (figure !== undefined) worst[figure] = Math.max(worst[figure], ours);
  }
  return worst;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** One figure of the last line. */
function describe(what: string, value: number, target: number, unit: string): string {
  return `${what} ${value} ${unit} (target ${target}: ${value <= target ? 'met' : 'MISSED'})`;
}

async function runParent(): Promise<void> {
  const { node, call } = await prepareNode((ROUNDS + 1) * (FRESH_REQUESTS + CONNECTIONS) + 2);
  const start = (proxy: Proxy): Promise<ServerProcess> =>
    startServerProcess(import.meta.url, `${proxy} ${node.httpUrl}`);
  const [bare, portcullis] = [await start('bare'), await start('portcullis')];
  try {
    await awaitHead(portcullis.port);
    const subjects = new Subjects(node, { bare, portcullis });
    const added = await measureLatency(subjects, call);
    console.log(`one connection: the bare proxy adds p50 ${added.bare.p50.toFixed(3)} ms`);
    const costs = await measureCosts(subjects, createRows(call));
    const { p50, p99 } = added.portcullis;
    const [passedOn, kept] = [round(costs['passed on'], 1), round(costs.kept, 1)];
    const addedP50 = round(p50, 3);
    const figures = [
      describe('added p50', addedP50, ADDED_P50_MS, 'ms'),
      `p99 ${p99.toFixed(3)} ms`,
      describe('CPU per request passed on', passedOn, PASSED_ON.microseconds, 'us'),
      describe('per kept answer', kept, KEPT.microseconds, 'us'),
    ];
    console.log(figures.join(', '));
    const met = addedP50 <= ADDED_P50_MS && passedOn <= PASSED_ON.microseconds && kept <= KEPT.microseconds;
    process.exitCode = met ? 0 : 1;
  } finally {
    bare.stop();
    portcullis.stop();
    await node.kill();
  }
}

/** The child's side: `<proxy> <address of the node>`. */
function serve(subject: string): Promise<number> {
  const [proxy, url = ''] = subject.split(' ');
  return proxy === 'bare' ? serveBareProxy(url) : serveNetwork({ upstreams: [url] });
}

const subject = process.argv[2];
await (subject === undefined ? runParent() : runAsChild(() => serve(subject)));
