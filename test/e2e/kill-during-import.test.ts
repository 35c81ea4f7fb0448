/**
 * `kill -9` at random moments of an import: the store opens, its head is a block of the chain, nothing that was
 * committed is lost, and the next run continues from there. PORTCULLIS_KILLS sets the number of kills (20 is the full form).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { ACCOUNTS } from '../../scripts/chains/accounts.ts';
import { ChainBuilder } from '../../scripts/chains/chain-builder.ts';
import { MAIN } from '../../scripts/program-files.ts';
import { openChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const KILLS = Number(process.env['PORTCULLIS_KILLS'] ?? 5);
const BLOCKS = 500;
const TRANSFERS_PER_BLOCK = 6;
const MAX_DELAY_MS = 2_500;

const folder = makeTemporaryFolder();
after(() => folder.remove());

/** Writes a chain of transfers; returns hashes by block number. */
async function writeChain(genesisFile: string, blocksFile: string): Promise<readonly string[]> {
  const [sender, receiver] = ACCOUNTS;
  assert.ok(sender !== undefined && receiver !== undefined);
  const genesis = JSON.stringify({
    config: { chainId: 1337, homesteadBlock: 0, eip150Block: 0, eip158Block: 0, byzantiumBlock: 0 },
    gasLimit: '0x1c9c380',
    difficulty: '0x20000',
    alloc: { [bytesToHex(sender.address)]: { balance: (10n ** 24n).toString() } },
  });
  const builder = new ChainBuilder(genesis, {
    headerOf: (number) => ({
      timestamp: number * 12n,
      beneficiary: receiver.address,
      extraData: new Uint8Array(0),
    }),
    fees: { gasPrice: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 1n },
  });
  for (let number = 1; number <= BLOCKS; number++) {
    const transactions = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, index) => ({
      from: sender,
      to: Uint8Array.from({ length: 20 }, (_, at) => (number * 31 + index * 7 + at) % 256),
      value: 1n,
    }));
    await builder.append({ shows: 'transfers', transactions });
  }
  writeFileSync(genesisFile, genesis);
  writeFileSync(blocksFile, Buffer.concat(builder.chain.slice(1).map(({ block }) => encodeBlock(block))));
  return builder.chain.map(({ hash }) => bytesToHex(hash));
}

/** Linear congruential generator, so that the printed seed reproduces the moments. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function readHead(
  store: string,
): Promise<{ readonly number: number; readonly hash: string } | undefined> {
  if (!existsSync(join(store, 'data.mdb'))) return undefined;
  try {
    const reader = openChainReader(store);
    const { header, hashText } = reader.head;
    await reader.close();
    return { number: Number(header.number), hash: hashText };
  } catch (error) {
    // Killed before the genesis block was committed.
    assert.match((error as Error).message, /empty|no chain|not a chain/);
    return undefined;
  }
}

test(`an import survives ${KILLS} kills without losing committed blocks`, async (t) => {
  const seed = Number(process.env['PORTCULLIS_SEED'] ?? Date.now() % 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const random = createRandom(seed);
  const [genesis, blocks] = [join(folder.path, 'genesis.json'), join(folder.path, 'chain.rlp')];
  const hashes = await writeChain(genesis, blocks);
  const startImport = (store: string): ReturnType<typeof spawn> =>
    spawn(process.execPath, [MAIN, 'import', '--genesis', genesis, '--blocks', blocks, '--data', store], {
      stdio: 'ignore',
    });

  let stores = 0;
  let store = join(folder.path, 'store-0');
  let lastHead = -1;
  const heads: number[] = [];
  for (let kill = 0; kill < KILLS; ) {
    const child = startImport(store);
    const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
    const first = await Promise.race([exit, wait(50 + random() * MAX_DELAY_MS)]);
    child.kill('SIGKILL');
    const [code] = await exit;
    if (first !== undefined && code !== null) {
      // The import finished before the kill: its store is complete, and the next one starts empty.
      assert.equal(code, 0);
      assert.deepEqual(await readHead(store), { number: BLOCKS, hash: hashes[BLOCKS] });
      store = join(folder.path, `store-${++stores}`);
      lastHead = -1;
      continue;
    }
    kill++;
    const head = await readHead(store);
    if (head === undefined) {
      assert.equal(lastHead, -1, 'a store that had blocks lost them');
      continue;
    }
    assert.equal(head.hash, hashes[head.number]);
    assert.ok(head.number >= lastHead, `the head went back from ${lastHead} to ${head.number}`);
    lastHead = head.number;
    heads.push(head.number);
  }
  t.diagnostic(`heads after the kills: ${heads.join(', ')}`);
  const [code] = (await once(startImport(store), 'exit')) as [number | null];
  assert.equal(code, 0);
  assert.deepEqual(await readHead(store), { number: BLOCKS, hash: hashes[BLOCKS] });
});
