/** Stores of versions without indexes get them when they are opened; transactions are found by hash. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { encodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import type { Transaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { EngineChain } from '../../../../src/chains/embedded/engine-chain.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../../../src/chains/embedded/execution/execution-pool.ts';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { openChainWriter } from '../../../../src/chains/embedded/store/chain-writer.ts';
import { importChain } from '../../../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../../../src/service/import-progress.ts';
import { addToIndexes, completeIndexes } from '../../../../src/service/index-store.ts';
import { ChainBuilder, signTransaction } from '../../../support/chain-builder.ts';
import { createHttpExchanger } from '../../../support/clients.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { startService } from '../../../support/service.ts';
import { stripIndexes } from '../../../support/strip-indexes.ts';
import { ALICE, ALICE_KEY, createGenesis } from '../../../support/test-chain.ts';

/** Larger than one step of the upgrade. */
const BLOCKS = 600;
const SILENT_LOG = { info: () => undefined };

describe('the indexes of a store', () => {
  const folder = makeTemporaryFolder();
  const genesisText = createGenesis({ revision: 'cancun' });
  const builder = new ChainBuilder(genesisText);
  const genesis = join(folder.path, 'genesis.json');
  const sent: { readonly tx: Transaction; readonly number: bigint; readonly index: number }[] = [];
  let stores = 0;

  before(async () => {
    writeFileSync(genesis, genesisText);
    let nonce = 0n;
    for (let number = 1n; number <= BigInt(BLOCKS); number++) {
      const count = number % 50n === 0n ? 3 : 0;
      const transactions = Array.from({ length: count }, () =>
        signTransaction(ALICE_KEY, { nonce: nonce++, to: ALICE, value: 1n }),
      );
      for (const [index, tx] of transactions.entries()) sent.push({ tx, number, index });
      await builder.add({ transactions });
    }
  });
  after(() => folder.remove());

  /** Creates a separate store with the first `length` blocks. */
  async function makeStore(length = BLOCKS): Promise<string> {
    const data = join(folder.path, `store${stores++}`);
    await append(data, 0, length);
    return data;
  }

  async function append(data: string, from: number, to: number): Promise<void> {
    const blocks = join(folder.path, 'blocks.rlp');
    writeFileSync(
      blocks,
      Buffer.concat([builder.genesisBlock, ...builder.blocks.slice(from, to)].map(encodeBlock)),
    );
    await importChain({ genesis, blocks, data, seal: 'ethash-format' }, SILENT_PROGRESS);
  }

  async function checkComplete(data: string): Promise<void> {
    const reader = openChainReader(data);
    assert.equal(reader.isIndexed, true);
    for (const { tx, number, index } of sent) {
      assert.deepEqual(reader.findTransaction(keccak256(tx.encoded)), { number, index });
    }
    assert.equal(reader.findTransaction(new Uint8Array(32)), undefined);
    await reader.close();
  }

  test('are written with the blocks', async () => {
    const data = await makeStore(100);
    const reader = openChainReader(data);
    assert.equal(reader.isIndexed, true);
    await reader.close();
    await append(data, 100, BLOCKS);
    await checkComplete(data);
  });

  test('are built for a store without indexes, which can be served afterwards', async () => {
    const data = await makeStore();
    await stripIndexes(data);
    const reader = openChainReader(data);
    assert.equal(reader.isIndexed, false);
    assert.throws(() => reader.findTransaction(new Uint8Array(32)), /has no indexes/);
    await reader.close();
    const pool = new ExecutionPool({ ...DEFAULT_POOL, threads: 1, onFault: assert.fail });
    assert.throws(() => new EngineChain(data, pool), /has no indexes/);
    const lines: unknown[] = [];
    await completeIndexes(data, { info: (...line: unknown[]) => void lines.push(line) });
    assert.equal(lines.length, 2, 'one line while it works, one at the end');
    await checkComplete(data);
    const chain = new EngineChain(data, pool);
    assert.equal(chain.blocks.getHeader({ kind: 'tag', tag: 'latest' })?.number, BigInt(BLOCKS));
    await chain.close();
    await pool.close();
    await completeIndexes(data, { info: () => assert.fail('nothing is left to do') });
  });

  test('are built by a service before it listens', async () => {
    const data = await makeStore();
    await stripIndexes(data);
    const service = await startService({
      dataDir: join(folder.path, 'service'),
      defaultNetwork: 'old',
      networks: { old: { hosts: ['old.localhost'], embedded: { data } } },
    });
    const exchanger = createHttpExchanger(service.authority);
    const params = [{ fromBlock: 'earliest', toBlock: 'latest' }];
    const answer = await exchanger.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params }),
    );
    assert.deepEqual(JSON.parse(answer), { jsonrpc: '2.0', id: 1, result: [] });
    await exchanger.close();
    await service.close();
    await checkComplete(data);
  });

  test('are completed after an interrupted build', async () => {
    const data = await makeStore();
    await stripIndexes(data);
    const writer = openChainWriter(data);
    const { done, total } = writer.indexPiece();
    assert.ok(done > 0n && done < total, `${done} of ${total}`);
    await writer.close();
    const reader = openChainReader(data);
    assert.equal(reader.isIndexed, false);
    await reader.close();
    await completeIndexes(data, SILENT_LOG);
    await checkComplete(data);
  });

  test('are built once by two concurrent writers', async () => {
    const data = await makeStore();
    await stripIndexes(data);
    await Promise.all([completeIndexes(data, SILENT_LOG), completeIndexes(data, SILENT_LOG)]);
    await checkComplete(data);
  });

  test('are completed before blocks are appended', async () => {
    const data = await makeStore(550);
    await stripIndexes(data);
    await append(data, 550, BLOCKS);
    await checkComplete(data);
  });

  test('are not built further after an abort', async () => {
    const data = await makeStore();
    await stripIndexes(data);
    const writer = openChainWriter(data);
    await addToIndexes(writer, () => undefined, AbortSignal.abort());
    const reader = writer.openReader();
    assert.equal(reader.isIndexed, false);
    await writer.close();
  });

  test('cannot be built on a read-only file system, which the error says', async (t) => {
    const data = await makeStore(10);
    await stripIndexes(data);
    if (!mountReadOnly(t, data)) {
      t.skip(
        'cannot make a read-only folder: root ignores file permissions and may not mount a file system here',
      );
      return;
    }
    const reason = `${data} cannot be written: (the file system is read-only|permission denied)`;
    await assert.rejects(
      completeIndexes(data, SILENT_LOG),
      new RegExp(
        `^Error: ${data} has no index of transactions and logs yet, and it cannot be built: ${reason}; serve`,
      ),
    );
  });
});

/** Makes a folder read-only; a mount does that for the superuser too. @returns whether writing is impossible then */
function mountReadOnly(t: TestContext, path: string): boolean {
  if (spawnSync('mount', ['--bind', '-o', 'ro', path, path]).status === 0) {
    t.after(() => spawnSync('umount', ['--lazy', path]));
    return true;
  }
  chmodSync(path, 0o500);
  t.after(() => chmodSync(path, 0o700));
  return process.getuid?.() !== 0;
}
