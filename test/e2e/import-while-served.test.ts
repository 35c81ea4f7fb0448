/** An import into a store that is being served: the service reads consistent data and notices new heads while blocks arrive. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { MAIN } from '../../scripts/program-files.ts';
import { EngineChain } from '../../src/chains/embedded/engine-chain.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../src/chains/embedded/execution/execution-pool.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { LOGGERS, signLogging } from '../support/logging-chain.ts';
import { Program } from '../support/program.ts';
import { createGenesis, limitTo } from '../support/test-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

const FIRST = 5;
/** Enough blocks for several commits of an import. */
const BLOCKS = 400;
const LOGS_A_BLOCK = 8;
const TOPIC = new Uint8Array(32).fill(0xe0);
/** Calldata that makes the store's file several times as large, so that readers have to map more of it. */
const DATA = new Uint8Array(2_048).fill(1);
const LIMIT_MS = 60_000;

describe('import into a served store', () => {
  const folder = makeTemporaryFolder();
  const files = ['genesis.json', 'first.rlp', 'all.rlp'].map((name) => join(folder.path, name));
  const [genesisFile, firstFile, allFile] = files as [string, string, string];
  let builder: ChainBuilder;

  before(async () => {
    const genesis = createGenesis({ revision: 'cancun', alloc: LOGGERS });
    builder = new ChainBuilder(genesis);
    let nonce = 0n;
    for (let block = 1; block <= BLOCKS; block++) {
      const transactions = Array.from({ length: LOGS_A_BLOCK / 2 }, () =>
        signLogging(nonce++, [TOPIC], DATA, 0),
      );
      await builder.add({ transactions });
    }
    writeFileSync(genesisFile, genesis);
    writeFileSync(firstFile, concatBytes(...builder.blocks.slice(0, FIRST).map(encodeBlock)));
    writeFileSync(allFile, builder.encode());
  });
  after(() => folder.remove());

  async function fillStore(name: string): Promise<string> {
    const data = join(folder.path, name);
    const files = { genesis: genesisFile, blocks: firstFile };
    await importChain({ ...files, data, seal: 'ethash-format' }, SILENT_PROGRESS);
    return data;
  }

  /** Imports the rest of the chain in a separate process. @returns its exit code */
  async function importRest(data: string): Promise<unknown> {
    const files = ['--genesis', genesisFile, '--blocks', allFile, '--data', data];
    const child = spawn(process.execPath, [MAIN, 'import', ...files], { stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code;
  }

  test('moves the watched head, and every block up to it can be read with its logs', async () => {
    const data = await fillStore('watched');
    const pool = new ExecutionPool({ ...DEFAULT_POOL, threads: 1, onFault: (fault) => assert.fail(fault) });
    const chain = new EngineChain(data, pool);
    const heads: bigint[] = [];
    const scope = limitTo(LIMIT_MS);
    const faults: unknown[] = [];
    let next = chain.heads.served.number + 1n;
    const readNew = (): void => {
      const { number: head, hash } = chain.heads.served;
      heads.push(head);
      assert.equal(chain.blocks.getHeader({ kind: 'tag', tag: 'latest' })?.hash, hash);
      for (; next <= head; next++) {
        const hash = bytesToHex(builder.hashAt(Number(next)));
        const header = chain.blocks.getHeaderObject({ kind: 'hash', hash, requireCanonical: false });
        assert.equal(JSON.parse(header ?? 'null')?.hash, hash);
        const logs = chain.logs.getBlockLogs(hash, scope);
        assert.ok(Array.isArray(logs), 'logs are there at once');
        assert.equal(logs.length, LOGS_A_BLOCK);
        const json = JSON.parse(logs[0].json);
        assert.deepEqual([json.blockHash, json.logIndex, json.topics], [hash, '0x0', logs[0].topics]);
      }
    };
    const unwatch = chain.heads.watch(() => {
      try {
        readNew();
      } catch (error) {
        faults.push(error);
      }
    });
    try {
      assert.equal(await importRest(data), 0);
      await waitUntil(() => heads.at(-1) === BigInt(BLOCKS) || faults.length > 0);
      assert.deepEqual(faults, []);
      const ascending = heads.toSorted((a, b) => Number(a - b));
      assert.deepEqual(heads, ascending);
      assert.equal(new Set(heads).size, heads.length, 'once a change');
      assert.equal(next, BigInt(BLOCKS) + 1n);
    } finally {
      unwatch();
      await chain.close();
      await pool.close();
    }
  });

  test('is visible to clients of a running service', async (t) => {
    const data = await fillStore('served');
    const program = new Program({ networks: { mine: { hosts: ['127.0.0.1'], embedded: { data } } } });
    t.after(() => program.dispose());
    await program.start();
    const { key } = await program.createKey();
    const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const url = `http://127.0.0.1:${program.port}/v3/${key}`;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body });
      const answer = (await response.json()) as { readonly result?: unknown; readonly error?: unknown };
      assert.equal(answer.error, undefined);
      return answer.result;
    };
    assert.equal(Number(await ask('eth_blockNumber', [])), FIRST);
    const seen = new Set<number>();
    let code: unknown;
    const importing = importRest(data).then((exit) => {
      code = exit;
    });
    while (code === undefined) {
      const number = (await ask('eth_blockNumber', [])) as string;
      seen.add(Number(number));
      const logs = (await ask('eth_getLogs', [{ fromBlock: number, toBlock: number }])) as unknown[];
      assert.equal(logs.length, LOGS_A_BLOCK);
    }
    await importing;
    assert.equal(code, 0);
    assert.equal(Number(await ask('eth_blockNumber', [])), BLOCKS);
    const logs = (await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])) as unknown[];
    assert.equal(logs.length, BLOCKS * LOGS_A_BLOCK);
    t.diagnostic(`heads seen while it was imported: ${seen.size}`);
  });
});
