/** Third-party request/response transcripts, replayed over HTTP and over WebSocket. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importChain } from '../../src/cli/import.ts';
import { SILENT_PROGRESS } from '../../src/cli/import-progress.ts';
import { createHttpExchanger, type Exchanger, openWebSocketExchanger } from '../support/clients.ts';
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
];
const DERIVED = [
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
];
/** Spec 2.1 has it as null; the transcripts follow a client that leaves it out. */
const IGNORED_KEYS: Readonly<Record<string, readonly string[]>> = {
  eth_getUncleByBlockNumberAndIndex: ['totalDifficulty'],
};

const SUITES = [
  {
    set: 'execution-apis',
    genesis: 'tests/genesis.json',
    blocks: 'tests/chain.rlp',
    folders: [...METHODS.map((method) => `tests/${method}`), ...DERIVED.map((method) => `derived/${method}`)],
    transcripts: 392,
  },
  {
    set: 'mainnet-0-999',
    genesis: 'mainnet.json',
    blocks: '1000.blocks',
    folders: ['derived/eth_getUncleByBlockNumberAndIndex'],
    transcripts: 384,
  },
] as const;

for (const { set, genesis, blocks, folders, transcripts } of SUITES) {
  const root = findVectors(set);
  describe(`${set} transcripts`, { skip: root === undefined && SKIP_REASON }, () => {
    const folder = makeTemporaryFolder();
    const store = join(folder.path, 'chain');
    const exchangers = new Map<string, Exchanger>();
    let service: RunningService;

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
      service = await startService({
        dataDir: folder.path,
        defaultNetwork: 'chain',
        networks: { chain: { hosts: ['chain.localhost'], embedded: { data: store } } },
      });
      exchangers.set('HTTP', createHttpExchanger(service.authority));
      exchangers.set('WebSocket', await openWebSocketExchanger(service.authority));
    });

    after(async () => {
      for (const exchanger of exchangers.values()) await exchanger.close();
      await service.close();
      folder.remove();
      assert.deepEqual(service.errors, []);
    });

    const all =
      root === undefined ? [] : folders.map((name) => ({ name, files: readTranscripts(join(root, name)) }));

    test('the set is complete', () => {
      const count = all.reduce((sum, { files }) => sum + files.length, 0);
      assert.equal(count, transcripts);
    });

    for (const { name, files } of all) {
      for (const transport of ['HTTP', 'WebSocket']) {
        test(`${name}: ${files.length} over ${transport}`, async () => {
          const exchanger = exchangers.get(transport) as Exchanger;
          for (const { name: file, exchanges } of files) {
            for (const { request, response } of exchanges) {
              const ignored = IGNORED_KEYS[name.slice(name.indexOf('/') + 1)];
              const { have, want } = comparable(await exchanger.send(request), response, ignored);
              assert.deepEqual(have, want, `${name}/${file}: ${request.slice(0, 300)}`);
            }
          }
        });
      }
    }
  });
}
