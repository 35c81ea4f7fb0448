/** The sides of a comparison over one chain: a geth, and a service with the chain embedded and in front of that geth. */
import { join } from 'node:path';
import { Pool } from 'undici';
import { importChain } from '../../src/cli/import.ts';
import { SILENT_PROGRESS } from '../../src/cli/import-progress.ts';
import { openChainReader } from '../../src/store/chain-reader.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { startService } from '../support/service.ts';
import { type GethChain, startGeth } from './node/geth-node.ts';
import type { Route } from './report/differences.ts';
import { type Outcome, readOutcome } from './report/outcome.ts';
import type { GeneratedRequest } from './requests/generators.ts';

const HOSTS: Readonly<Record<Route, string>> = {
  embedded: 'embedded.localhost',
  'HTTP node': 'http-node.localhost',
  'WebSocket node': 'websocket-node.localhost',
};
export const ROUTES: readonly Route[] = Object.keys(HOSTS) as Route[];
const CONNECTIONS = 16;

export type Sides = {
  askGeth(request: GeneratedRequest): Promise<Outcome>;
  askService(request: GeneratedRequest, route: Route): Promise<Outcome>;
  /** Errors that the service has logged. */
  readonly errors: readonly string[];
  close(): Promise<void>;
};

/** Networks of nodes serve them where they are named. */
const RAW_METHODS = [
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
];

/** Files of a chain whose blocks both sides import. */
export type ComparedChain = Required<Omit<GethChain, 'blockGasLimit'>>;

/** The execution-apis chain in the folder of their vectors. */
export function executionApisChain(vectors: string): ComparedChain & { readonly accounts: string } {
  const tests = join(vectors, 'tests');
  return {
    genesis: join(tests, 'genesis.json'),
    blocks: join(tests, 'chain.rlp'),
    headCall: join(tests, 'headfcu.json'),
    accounts: join(vectors, 'accounts.json'),
  };
}

async function readGasLimit(store: string): Promise<bigint> {
  const reader = openChainReader(store);
  try {
    return reader.head.header.gasLimit;
  } finally {
    await reader.close();
  }
}

/** Starts both sides over a chain. */
export async function openSides({ genesis, blocks, headCall }: ComparedChain): Promise<Sides> {
  const chain = { genesis, blocks, headCall };
  const folder = makeTemporaryFolder();
  const store = join(folder.path, 'chain');
  await importChain({ ...chain, data: store, seal: 'ethash-format' }, SILENT_PROGRESS);
  const geth = await startGeth({ ...chain, blockGasLimit: await readGasLimit(store) });
  const inFrontOf = (host: Route, url: string): object => ({
    hosts: [HOSTS[host]],
    upstreams: [url],
    methods: { also: RAW_METHODS },
  });
  const service = await startService({
    dataDir: folder.path,
    networks: {
      embedded: { hosts: [HOSTS.embedded], embedded: { data: store } },
      http: inFrontOf('HTTP node', geth.httpUrl),
      websocket: inFrontOf('WebSocket node', geth.webSocketUrl),
    },
  });
  const options = { connections: CONNECTIONS, pipelining: 1 };
  const toGeth = new Pool(geth.httpUrl, options);
  const toService = new Pool(`http://${service.authority}`, options);
  return {
    askGeth: (request) => ask(toGeth, '/', undefined, request),
    askService: (request, route) => ask(toService, '/v3/demo', HOSTS[route], request),
    errors: service.errors,
    async close() {
      await Promise.all([toGeth.close(), toService.close()]);
      await service.close();
      await geth.close();
      folder.remove();
    },
  };
}

async function ask(
  pool: Pool,
  path: string,
  host: string | undefined,
  { method, params }: GeneratedRequest,
): Promise<Outcome> {
  const { body } = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...(host !== undefined && { host }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return readOutcome(await body.text());
}
