/** The program's functions, and their files, that one `eth_call` over HTTP runs, by V8's coverage, on a service that has answered such calls before. */
import { request } from 'node:http';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { makeTemporaryFolder } from './embedded.ts';
import { startNode } from './served-node.ts';
import { startService } from './service.ts';

const BUILD = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = /^(?:src\/|(?=packages\/))/;
const WARM_UP = 20;
/** Time for work that continues after an answer. */
const COMPLETE_MS = 50;
const TOKEN_CALL = { to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842', data: '0x18160ddd' };

export type RequestTrace = {
  /** Paths below src, or from packages on, with the ending .js. */ readonly files: ReadonlySet<string>;
  readonly functions: readonly string[];
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a distinct call each time, so that none is answered from the cache. */
async function ask(port: number, network: string, number: number): Promise<void> {
  const call = { ...TOKEN_CALL, data: `${TOKEN_CALL.data}${number.toString(16).padStart(64, '0')}` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: number, method: 'eth_call', params: [call, 'latest'] });
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

/** Traces one call on the embedded network `devnet`, and one on `nodes`, a network of one node. */
export async function traceCalls(): Promise<ReadonlyMap<'devnet' | 'nodes', RequestTrace>> {
  const cleanUps: (() => unknown)[] = [];
  const context = { after: (work: () => unknown) => void cleanUps.push(work) } as unknown as TestContext;
  const folder = makeTemporaryFolder();
  const node = await startNode(context, { answers: { eth_call: () => `0x${'11'.repeat(32)}` } });
  const networks = {
    ...listBuiltinNetworks().networks,
    nodes: { hosts: ['nodes.localhost'], upstreams: [node.url], verify: 'off' },
  };
  const service = await startService({ dataDir: folder.path, networks });
  const session = new Session();
  session.connect();
  const traces = new Map<'devnet' | 'nodes', RequestTrace>();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    for (const network of ['devnet', 'nodes'] as const) {
      for (let number = 0; number < WARM_UP; number++) await ask(service.port, network, number);
      traces.set(network, await countRequest(session, () => ask(service.port, network, WARM_UP)));
    }
  } finally {
    session.disconnect();
    await service.close();
    for (const work of cleanUps) await work();
    folder.remove();
  }
  return traces;
}
