/** Both sides of a comparison over one chain: a geth, and a service with the chain embedded, in front of that geth, and executing on state that it proves. */
import { join } from 'node:path';
import { errors, Pool } from 'undici';
import { openChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { startService } from '../support/service.ts';
import { type GethChain, REQUEST_SECONDS, startGeth } from './node/geth-node.ts';
import type { Route } from './report/differences.ts';
import { type Outcome, readOutcome } from './report/outcome.ts';
import type { GeneratedRequest } from './requests/generators.ts';

const HOSTS: Readonly<Record<Route, string>> = {
  embedded: 'embedded.localhost',
  'HTTP node': 'http-node.localhost',
  'WebSocket node': 'websocket-node.localhost',
  'proven state': 'proven-state.localhost',
};
export const ROUTES: readonly Route[] = Object.keys(HOSTS) as Route[];
const CONNECTIONS = 16;
/** Limits of the service, high enough that none causes a difference. */
const MAX_BACKLOG_BYTES: number = 1024 * 1024 * 1024;
const TIME_LIMIT = `${REQUEST_SECONDS}s`;
const PATIENT_POOL = { answerTimeout: TIME_LIMIT, stallTimeout: TIME_LIMIT, connectTimeout: '60s' };
/** Attempts per request to geth. */
const ATTEMPTS = 3;

export type Sides = {
  askGeth(request: GeneratedRequest): Promise<Outcome>;
  askService(request: GeneratedRequest, route: Route): Promise<Outcome>;
  /** Errors that the service has logged. */
  readonly errors: readonly string[];
  /** Connections that geth closed without an answer, which it does where a request exceeds its time limit. */
  readonly closedByGeth: number;
  close(): Promise<void>;
};

/** Methods that networks of nodes serve only where the configuration names them. */
const RAW_METHODS = [
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
];

/** Files of a chain that both sides import. */
export type ComparedChain = Required<Omit<GethChain, 'blockGasLimit' | 'gasCap'>>;

/** The execution-apis chain in the folder of its vectors. */
export function executionApisChain(vectors: string): ComparedChain & { readonly accounts: string } {
  const tests = join(vectors, 'tests');
  return {
    genesis: join(tests, 'genesis.json'),
    blocks: join(tests, 'chain.rlp'),
    headCall: join(tests, 'headfcu.json'),
    accounts: join(vectors, 'accounts.json'),
  };
}

/** Reads the gas limit of a store's head. */
export async function readGasLimit(store: string): Promise<bigint> {
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
    pool: PATIENT_POOL,
    callTimeout: TIME_LIMIT,
  });
  const service = await startService({
    dataDir: folder.path,
    limits: {
      requestTimeout: TIME_LIMIT,
      bodyTimeout: TIME_LIMIT,
      queueWait: TIME_LIMIT,
      unsentBytes: MAX_BACKLOG_BYTES,
    },
    networks: {
      embedded: { hosts: [HOSTS.embedded], embedded: { data: store }, callTimeout: TIME_LIMIT },
      http: inFrontOf('HTTP node', geth.httpUrl),
      websocket: inFrontOf('WebSocket node', geth.webSocketUrl),
      proven: { ...inFrontOf('proven state', geth.httpUrl), execution: 'local', chain: genesis },
    },
  }).catch(async (error: unknown) => {
    // A geth that keeps running would keep the test from ending.
    await geth.close();
    throw error;
  });
  const options = { connections: CONNECTIONS, pipelining: 1 };
  const toGeth = new Pool(geth.httpUrl, options);
  const toService = new Pool(`http://${service.authority}`, options);
  let closedByGeth = 0;
  return {
    get closedByGeth() {
      return closedByGeth;
    },
    async askGeth(request) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await ask(toGeth, '/', undefined, request);
        } catch (error) {
          if (!(error instanceof errors.SocketError) || attempt === ATTEMPTS) throw error;
          closedByGeth++;
        }
      }
    },
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
