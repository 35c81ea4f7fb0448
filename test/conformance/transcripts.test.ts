/**
 * Third-party request/response transcripts, replayed over HTTP and over WebSocket: against the engine, and against this program in front
 * of itself and of a real geth, where the short run of tests divides them among routes and transports.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { METHODS as METHOD_TABLE } from '../../src/methods/table.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { type GethNode, startGeth } from '../geth/node/geth-node.ts';
import { GETH_SKIP } from '../geth/node/geth-program.ts';
import { readGasLimit } from '../geth/sides.ts';
import { createHttpExchanger, type Exchanger, openWebSocketExchanger } from '../support/clients.ts';
import { STRIDE } from '../support/count-runs.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';
import { comparable, readTranscripts } from '../support/transcript.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';

const METHODS = [
  'eth_call',
  'eth_estimateGas',
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_createAccessList',
  'eth_simulateV1',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getTransactionCount',
  'eth_getProof',
  'eth_feeHistory',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_syncing',
  'eth_config',
  'eth_capabilities',
  'eth_getLogs',
];
/** geth's default, which the transcripts were made with. */
const SIMULATION_GAS = 50_000_000;
const RAW_METHODS = [
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
];
const DERIVED = [
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
];
/** Spec 2.1 has it as null; the transcripts follow a client that omits it. */
const IGNORED_KEYS: Readonly<Record<string, readonly string[]>> = {
  eth_getUncleByBlockNumberAndIndex: ['totalDifficulty'],
};

const SUITES = [
  {
    set: 'execution-apis',
    genesis: 'tests/genesis.json',
    blocks: 'tests/chain.rlp',
    folders: [
      ...[...METHODS, ...RAW_METHODS].map((method) => `tests/${method}`),
      ...DERIVED.map((method) => `derived/${method}`),
    ],
    transcripts: 562,
    headCall: 'tests/headfcu.json',
  },
  {
    set: 'mainnet-0-999',
    genesis: 'mainnet.json',
    blocks: '1000.blocks',
    folders: ['derived/eth_getUncleByBlockNumberAndIndex'],
    transcripts: 384,
    headCall: undefined,
  },
] as const;

/** Routes from the service under test to the chain. */
const ROUTES = ['embedded', 'HTTP upstream', 'WebSocket upstream'] as const;
/** Routes with geth as the node, for chains that it accepts unchanged. */
const GETH_ROUTES = ['geth over HTTP', 'geth over WebSocket'] as const;
type Route = (typeof ROUTES | typeof GETH_ROUTES)[number];

/** Longer call timeout, because on a busy machine some calls of the transcripts take longer than the default. */
const PATIENT = { callTimeout: '25s' };

for (const { set, genesis, blocks, folders, transcripts, headCall } of SUITES) {
  const hasGeth = headCall !== undefined && GETH_SKIP === false;
  const routes: readonly Route[] = hasGeth ? [...ROUTES, ...GETH_ROUTES] : ROUTES;
  const root = findVectors(set);
  describe(`${set} transcripts`, { skip: root === undefined && SKIP_REASON }, () => {
    const folder = makeTemporaryFolder();
    const store = join(folder.path, 'chain');
    const exchangers = new Map<string, Exchanger>();
    const services: RunningService[] = [];
    let geth: GethNode | undefined;

    before(async () => {
      await importChain(
        {
          genesis: join(root as string, genesis),
          blocks: join(root as string, blocks),
          data: store,
          seal: 'ethash-format',
        },
        SILENT_PROGRESS,
      );
      const node = await startService({
        dataDir: folder.path,
        defaultNetwork: 'chain',
        execution: { simulationGas: SIMULATION_GAS },
        networks: { chain: { hosts: ['chain.localhost'], embedded: { data: store }, ...PATIENT } },
      });
      services.push(node);
      const upstreams: Partial<Record<Route, string>> = {
        'HTTP upstream': `http://${node.authority}/v3/demo`,
        'WebSocket upstream': `ws://${node.authority}/ws/v3/demo`,
      };
      if (hasGeth) {
        geth = await startGeth({
          genesis: join(root as string, genesis),
          blocks: join(root as string, blocks),
          headCall: join(root as string, headCall),
          blockGasLimit: await readGasLimit(store),
          gasCap: BigInt(SIMULATION_GAS),
        });
        upstreams['geth over HTTP'] = geth.httpUrl;
        upstreams['geth over WebSocket'] = geth.webSocketUrl;
      }
      for (const route of routes) {
        const service =
          route === 'embedded'
            ? node
            : await startService({
                dataDir: join(folder.path, route),
                defaultNetwork: 'chain',
                networks: {
                  chain: {
                    hosts: ['chain.localhost'],
                    upstreams: [upstreams[route]],
                    methods: { also: RAW_METHODS },
                    ...PATIENT,
                  },
                },
              });
        if (service !== node) services.unshift(service);
        exchangers.set(`${route}, HTTP`, createHttpExchanger(service.authority));
        exchangers.set(`${route}, WebSocket`, await openWebSocketExchanger(service.authority));
      }
    });

    after(async () => {
      for (const exchanger of exchangers.values()) await exchanger.close();
      for (const service of services) await service.close();
      await geth?.close();
      folder.remove();
      for (const { errors } of services) assert.deepEqual(errors, []);
    });

    const all =
      root === undefined ? [] : folders.map((name) => ({ name, files: readTranscripts(join(root, name)) }));

    test('the set of transcripts is complete', () => {
      const count = all.reduce((sum, { files }) => sum + files.length, 0);
      assert.equal(count, transcripts);
    });

    const ways = routes.flatMap((route) => [`${route}, HTTP`, `${route}, WebSocket`]);
    for (const { name, files } of all) {
      for (const [place, way] of ways.entries()) {
        const chosen = way.startsWith('embedded')
          ? files
          : files.filter((_, at) => (at + place) % STRIDE === 0);
        if (chosen.length === 0) continue;
        test(`${name}: ${chosen.length} of ${files.length} on ${way}`, async () => {
          const exchanger = exchangers.get(way) as Exchanger;
          for (const { name: file, contexts } of chosen) {
            const method = name.slice(name.indexOf('/') + 1);
            for (const { request, response, isSpecOnly } of contexts) {
              const answer = await exchanger.send(request);
              const { have, want } = comparable(answer, response, IGNORED_KEYS[method]);
              const isOwn = isSpecOnly && hasDocumentedResult(method, answer);
              if (!isOwn) assert.deepEqual(have, want, `${name}/${file}: ${request.slice(0, 300)}`);
            }
          }
        });
      }
    }
  });
}

/** Whether an answer has a result of the shape that the method documents. */
function hasDocumentedResult(method: string, answer: string): boolean {
  const schema = METHOD_TABLE.find(({ name }) => name === method)?.result.schema;
  const { result } = JSON.parse(answer) as { readonly result?: unknown };
  return schema?.safeParse(result).success === true;
}
