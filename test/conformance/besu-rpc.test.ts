/**
 * Part of Besu's own request/response specs over HTTP. Error codes and texts are Besu's, so that for an error only its presence
 * is compared.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { createHttpExchanger, type Exchanger } from '../support/clients.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { type RunningService, startService } from '../support/service.ts';
import { comparable } from '../support/transcript.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';

type Answer = { readonly result?: unknown; readonly error?: unknown };
type Spec = { readonly request: unknown; readonly response: Answer | readonly Answer[] };

/** The chain's total difficulty at block 32, its last one with proof of work. */
const TERMINAL_TOTAL_DIFFICULTY = 4_357_120;
const SPECS = 30;

/** Besu refuses calls whose `data` and `input` differ; in geth, which this service follows, `input` wins. */
const ANSWERED_HERE = 'eth_call_invalidWithDifferentInputAndDataAttributes.json';
const TRUE_WORD = `0x${'1'.padStart(64, '0')}`;

/** Rewrites addresses without `0x` and numbers as nonces, which Besu takes and the execution-apis do not. */
function writeStrictly(request: unknown): string {
  return JSON.stringify(request)
    .replace(/"([0-9a-fA-F]{40})"/g, '"0x$1"')
    .replace(/"nonce":(\d+)/g, (_, nonce: string) => `"nonce":"0x${Number(nonce).toString(16)}"`);
}

const root = findVectors('besu-rpc');

describe("Besu's specs", { skip: root === undefined && SKIP_REASON }, () => {
  const folder = makeTemporaryFolder();
  let service: RunningService;
  let http: Exchanger;

  before(async () => {
    const source = join(root as string, 'chain');
    const genesis = JSON.parse(readFileSync(join(source, 'testGenesis.json'), 'utf8'));
    genesis.config.terminalTotalDifficulty = TERMINAL_TOTAL_DIFFICULTY;
    const genesisFile = join(folder.path, 'genesis.json');
    writeFileSync(genesisFile, JSON.stringify(genesis));
    const store = join(folder.path, 'chain');
    const summary = await importChain(
      {
        genesis: genesisFile,
        blocks: join(source, 'testBlockchain.blocks'),
        data: store,
        seal: 'ethash-format',
      },
      SILENT_PROGRESS,
    );
    assert.equal(summary.imported, 34);
    service = await startService({
      dataDir: folder.path,
      defaultNetwork: 'chain',
      networks: { chain: { hosts: ['chain.localhost'], embedded: { data: store } } },
    });
    http = createHttpExchanger(service.authority);
  });
  after(async () => {
    await service.close();
    folder.remove();
    assert.deepEqual(service.errors, []);
  });

  const files = root === undefined ? [] : readdirSync(root).filter((file) => file.endsWith('.json'));
  test('the set of specs is complete', () => assert.equal(files.length, SPECS));

  for (const file of files) {
    test(file.replace('.json', ''), async () => {
      const spec = JSON.parse(readFileSync(join(root as string, file), 'utf8')) as Spec;
      const have = [JSON.parse(await http.send(writeStrictly(spec.request)))].flat() as Answer[];
      const want = [spec.response].flat() as Answer[];
      assert.equal(have.length, want.length);
      if (file === ANSWERED_HERE) {
        assert.equal(have[0]?.result, TRUE_WORD);
        return;
      }
      for (const [index, expected] of want.entries()) {
        const answer = have[index] as Answer;
        if (expected.error !== undefined) {
          assert.notEqual(answer.error, undefined, JSON.stringify(answer));
          continue;
        }
        const pair = comparable(JSON.stringify(answer), JSON.stringify(expected));
        assert.deepEqual(pair.have, pair.want);
      }
    });
  }
});
