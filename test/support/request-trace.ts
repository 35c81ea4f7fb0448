/**
 * The program's functions, and their files, that one request runs, by V8's coverage, on a service that has answered such requests before.
 * Functions that run without a request too, such as timers and polls of heads, are left out.
 */
import { request } from 'node:http';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { makeTemporaryFolder } from './embedded.ts';
import { makeBlock, startNode } from './served-node.ts';
import { startService } from './service.ts';

const BUILD = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = /^(?:src\/|(?=packages\/))/;
const WARM_UP = 20;
/** Time for work that continues after an answer. */
const COMPLETE_MS = 50;
const TOKEN_CALL = { to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842', data: '0x18160ddd' };

export type RequestTrace = {
  /** Paths below src, or from packages on, with the ending .js. */
  readonly files: ReadonlySet<string>;
  readonly functions: readonly string[];
};

/** Kinds of requests: `overridden` is an embedded call with an empty object of state overrides, `newHeads` a notification. */
export const WAYS = ['embedded', 'overridden', 'nodes', 'receipts', 'cached', 'newHeads'] as const;
export type Way = (typeof WAYS)[number];

/** Height of the node at the start. Blocks up to `LAST_BLOCK` exist. */
const FIRST_HEAD = 30;
const LAST_BLOCK = 60;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function post(
  port: number,
  network: string,
  method: string,
  params: readonly unknown[],
): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const text = await new Promise<string>((resolve, reject) => {
    const headers = {
      host: `${network}.localhost`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = request(
      { port, host: '127.0.0.1', path: '/v3/demo', method: 'POST', headers },
      async (response) => resolve(Buffer.concat(await response.toArray()).toString()),
    );
    sent.once('error', reject);
    sent.end(body);
  });
  if (!text.includes('"result"')) throw new Error(`${network}: ${text.slice(0, 300)}`);
}

/** A call of its own for each number, so that none is answered from the cache. */
function callOf(number: number): object {
  return { ...TOKEN_CALL, data: `${TOKEN_CALL.data}${number.toString(16).padStart(64, '0')}` };
}

/** Receipts of a block of the node. */
function listReceipts(number: number): readonly object[] {
  const { hash, number: blockNumber, transactions } = makeBlock(number);
  return (transactions as readonly string[]).map((transactionHash, index) => ({
    ...{ transactionHash, transactionIndex: `0x${index}`, blockHash: hash, blockNumber },
    ...{
      type: '0x2',
      status: '0x1',
      gasUsed: '0x5208',
      cumulativeGasUsed: `0x${(21_000 * (index + 1)).toString(16)}`,
    },
    ...{
      from: `0x${'11'.repeat(20)}`,
      to: `0x${'22'.repeat(20)}`,
      contractAddress: null,
      effectiveGasPrice: '0x7',
    },
    ...{ logs: [], logsBloom: `0x${'00'.repeat(256)}` },
  }));
}

/** Subscribes to heads. @returns waits for the next notification */
async function subscribe(port: number, cleanUps: (() => unknown)[]): Promise<() => Promise<void>> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/demo`, { headers: { host: 'nodes.localhost' } });
  cleanUps.push(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const answered = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  await answered;
  return () => new Promise((resolve) => socket.once('message', () => resolve()));
}

async function countCall(session: Session, work: () => Promise<void>): Promise<RequestTrace> {
  await pause(COMPLETE_MS);
  await session.post('Profiler.takePreciseCoverage');
  await work();
  await pause(COMPLETE_MS);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Set<string>();
  const functions: string[] = [];
  for (const { url, functions: found } of result) {
    const path = url.startsWith('file:') ? relative(BUILD, fileURLToPath(url)) : '';
    if (!SOURCE.test(path)) continue;
    const file = path.replace(SOURCE, '');
    for (const { functionName, ranges } of found) {
      if ((ranges[0]?.count ?? 0) === 0) continue;
      files.add(file);
      functions.push(`${file} ${functionName || '(anonymous)'}`);
    }
  }
  return { files, functions };
}

/** Excludes background work such as timers and head feeds, counted in an idle run. */
async function countRequest(session: Session, work: () => Promise<void>): Promise<RequestTrace> {
  const idle = await countCall(session, async () => {});
  const { functions } = await countCall(session, work);
  const own = functions.filter((name) => !idle.functions.includes(name));
  return { functions: own, files: new Set(own.map((name) => name.slice(0, name.indexOf(' ')))) };
}

/** Traces a request of each kind: on the embedded network `devnet`, and on `nodes`, a network of one node. */
export async function traceWays(wanted: readonly Way[] = WAYS): Promise<ReadonlyMap<Way, RequestTrace>> {
  const cleanUps: (() => unknown)[] = [];
  const context = { after: (work: () => unknown) => void cleanUps.push(work) } as unknown as TestContext;
  const folder = makeTemporaryFolder();
  let head = FIRST_HEAD;
  const node = await startNode(context, {
    height: LAST_BLOCK,
    tags: { latest: () => makeBlock(head) },
    answers: {
      eth_call: () => `0x${'11'.repeat(32)}`,
      eth_getBlockReceipts: ([number]) => listReceipts(Number(number)),
    },
  });
  const networks = {
    ...listBuiltinNetworks().networks,
    nodes: {
      hosts: ['nodes.localhost'],
      upstreams: [node.url],
      verify: 'off',
      // A poll in the idle run may run every function of the transport that a request runs, so only heads are polled for.
      pool: { pollInterval: wanted.includes('newHeads') ? '20ms' : '1m' },
    },
  };
  const service = await startService({ dataDir: folder.path, networks });
  const { port } = service;
  const session = new Session();
  session.connect();
  const waitForHead = await subscribe(port, cleanUps);
  const send: Readonly<Record<Way, (number: number) => Promise<void>>> = {
    embedded: (number) => post(port, 'devnet', 'eth_call', [callOf(number), 'latest']),
    overridden: (number) => post(port, 'devnet', 'eth_call', [callOf(number), 'latest', {}]),
    nodes: (number) => post(port, 'nodes', 'eth_call', [callOf(number), 'latest']),
    receipts: (number) => post(port, 'nodes', 'eth_getBlockReceipts', [`0x${(number + 1).toString(16)}`]),
    cached: () => post(port, 'nodes', 'eth_getBlockReceipts', ['0x1']),
    newHeads: async () => {
      const next = waitForHead();
      head++;
      await next;
    },
  };
  const traces = new Map<Way, RequestTrace>();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    for (const way of wanted) {
      for (let number = 0; number < WARM_UP; number++) await send[way](number);
      traces.set(way, await countRequest(session, () => send[way](WARM_UP)));
    }
  } finally {
    session.disconnect();
    await service.close();
    for (const work of cleanUps) await work();
    folder.remove();
  }
  return traces;
}
