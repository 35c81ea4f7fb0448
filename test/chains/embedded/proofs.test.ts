/** Proofs of every account and slot at every block, verified as a light client does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { bytesEqual, bytesToBigInt } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { EngineState } from '../../../src/chains/embedded/reads/state-reads.ts';
import { StoredBlocks } from '../../../src/chains/embedded/reads/stored-blocks.ts';
import { createStateReader } from '../../../src/chains/embedded/state/state-reader.ts';
import { type ChainReader, openChainReader } from '../../../src/chains/embedded/store/chain-reader.ts';
import { openStore } from '../../../src/chains/embedded/store/schema.ts';
import { importChain } from '../../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../../src/service/import-progress.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { findVectors, SKIP_REASON } from '../../support/vectors.ts';
import { type AccountProof, verifyAccountProof } from '../../support/verify-proof.ts';

const CHAINS = join(import.meta.dirname, '../../../../chains');
const VECTORS = findVectors('execution-apis');
const ALL = 1_000_000;
const ABSENT_SLOT = `0x${'5e'.repeat(32)}`;
const ABSENT_ADDRESS = new Uint8Array(20).fill(0x5e);

/** Reads the text of a result, whether it is text, bytes or a stream. */
async function readText(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function prove(
  state: EngineState,
  address: Uint8Array,
  slots: readonly string[],
  number: bigint,
): Promise<AccountProof> {
  const block: BlockReference = { kind: 'number', number };
  const proof = state.getProof(bytesToHex(address), slots, block, createScope());
  return JSON.parse(await readText(await proof)) as AccountProof;
}

type Request = { readonly address: Uint8Array; readonly own: readonly Uint8Array[] };

/** Lists all accounts of a store and one that it does not have, each with its slot keys. */
function listQuestions(reader: ChainReader): readonly Request[] {
  const slots = new Map<string, Uint8Array[]>();
  for (const { key } of reader.listSlots({ limit: ALL })) {
    const owner = bytesToHex(key.subarray(0, ABSENT_ADDRESS.length));
    const own = slots.get(owner);
    if (own === undefined) slots.set(owner, [key]);
    else own.push(key);
  }
  return [{ key: ABSENT_ADDRESS }, ...reader.listAccounts({ limit: ALL })].map(({ key: address }) => {
    return { address, own: slots.get(bytesToHex(address)) ?? [] };
  });
}

/** Compares proofs with the state by key, which is read in another way. @returns number of proofs of existing values */
async function checkBlock(
  reader: ChainReader,
  requests: readonly Request[],
  state: EngineState,
  number: bigint,
): Promise<number> {
  const { stateRoot } = reader.getHeader(number)?.header ?? assert.fail();
  const byKey = createStateReader(reader, number);
  let found = 0;
  for (const { address, own } of requests) {
    const words = [...own.map((key) => bytesToHex(key.subarray(20))), ABSENT_SLOT];
    const proof = await prove(state, address, words, number);
    verifyAccountProof(proof, stateRoot);
    const account = byKey.getAccount(address);
    assert.deepEqual(
      [proof.address, BigInt(proof.balance), BigInt(proof.nonce)],
      [bytesToHex(address), account?.balance ?? 0n, account?.nonce ?? 0n],
    );
    assert.equal(account === undefined, /^0x0+$/.test(proof.codeHash));
    assert.deepEqual(
      proof.storageProof.map(({ key, value }) => [key, BigInt(value)]),
      words.map((word, i) => {
        const slot = own[i]?.subarray(20);
        return [word, slot === undefined ? 0n : bytesToBigInt(byKey.getStorage(address, slot))];
      }),
    );
    found +=
      proof.storageProof.filter(({ value }) => value !== '0x0').length + (account === undefined ? 0 : 1);
  }
  return found;
}

const SOURCES = [
  ...['devnet', 'rollup', 'op-rollup'].map((name) => ({
    name,
    genesis: join(CHAINS, name, 'genesis.json'),
    blocks: join(CHAINS, name, 'blocks.rlp.gz'),
    skip: false as string | false,
  })),
  {
    name: 'execution-apis',
    genesis: join(VECTORS ?? '', 'tests/genesis.json'),
    blocks: join(VECTORS ?? '', 'tests/chain.rlp'),
    skip: VECTORS === undefined && SKIP_REASON,
  },
];

for (const { name, genesis, blocks, skip } of SOURCES) {
  describe(`proofs on ${name}`, { skip }, () => {
    const folder = makeTemporaryFolder();
    let reader: ChainReader;

    before(async () => {
      await importChain({ genesis, blocks, data: folder.path, seal: 'ethash-format' }, SILENT_PROGRESS);
      reader = openChainReader(folder.path);
    });
    after(async () => {
      await reader.close();
      folder.remove();
    });

    test('are valid for every account and slot, existing or not, at every block', async () => {
      const state = new EngineState(new StoredBlocks(reader), 128);
      const head = reader.head.header.number;
      const requests = listQuestions(reader);
      let found = 0;
      for (let number = head; number >= 0n; number--)
        found += await checkBlock(reader, requests, state, number);
      assert.ok(found > Number(head), String(found));
    });
  });
}

describe('proofs on a store', () => {
  const folder = makeTemporaryFolder();
  let reader: ChainReader;

  before(async () => {
    const chain = join(CHAINS, 'devnet');
    const [genesis, blocks] = [join(chain, 'genesis.json'), join(chain, 'blocks.rlp.gz')];
    await importChain({ genesis, blocks, data: folder.path, seal: 'ethash-format' }, SILENT_PROGRESS);
    const store = openStore(folder.path, false);
    // An earlier version of this program leaves the store like this.
    store.tables.changes?.dropSync();
    await store.close();
    reader = openChainReader(folder.path);
  });
  after(async () => {
    await reader.close();
    folder.remove();
  });

  test('without lists of changes are valid', async () => {
    assert.equal(reader.getChanges(1n), undefined);
    const state = new EngineState(new StoredBlocks(reader), 128);
    for (let number = reader.head.header.number; number >= 0n; number -= 7n) {
      assert.ok((await checkBlock(reader, listQuestions(reader), state, number)) > 0);
    }
  });

  test('reach as far below the head as is configured', async () => {
    const head = reader.head.header.number;
    const state = new EngineState(new StoredBlocks(reader), 3);
    await prove(state, ABSENT_ADDRESS, [], head - 3n);
    const block = reader.getHeader(head - 4n);
    const root = bytesToHex(block?.header.stateRoot ?? assert.fail());
    await assert.rejects(
      prove(state, ABSENT_ADDRESS, [], head - 4n),
      new ChainError(
        'failed',
        `missing trie node ${root.slice(2)} (path ) state ${root} is not available, proofs reach 3 blocks below the head`,
      ),
    );
  });

  test('are returned synchronously, also below the head once the tries of the block are loaded', async () => {
    const state = new EngineState(new StoredBlocks(reader), 128);
    const block: BlockReference = { kind: 'number', number: 20n };
    const ask = (): unknown => state.getProof(bytesToHex(ABSENT_ADDRESS), [], block, createScope());
    await ask();
    // Earlier tests may have used up the time of a slot.
    await turn();
    await turn();
    assert.equal(typeof ask(), 'string');
  });

  test('repeat each slot in the form of the request', async () => {
    const state = new EngineState(new StoredBlocks(reader), 128);
    const words = ['0x0', '0x7', `0x${'00'.repeat(32)}`, '0x100'];
    const { storageProof } = await prove(state, ABSENT_ADDRESS, words, reader.head.header.number);
    assert.deepEqual(
      storageProof,
      words.map((key) => ({ key, value: '0x0', proof: [] })),
    );
  });

  test('of many slots are streamed', async () => {
    const owners = reader.listSlots({ limit: ALL }).map(({ key }) => key.subarray(0, 20));
    const sizeOf = (address: Uint8Array): number =>
      owners.filter((owner) => bytesEqual(owner, address)).length;
    const address = owners.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0] ?? assert.fail();
    const slots = Array.from({ length: 1_024 }, (_, i) => `0x${i.toString(16)}`);
    const state = new EngineState(new StoredBlocks(reader), 128);
    const { header } = reader.head;
    const result = await state.getProof(
      bytesToHex(address),
      slots,
      { kind: 'tag', tag: 'latest' },
      createScope(),
    );
    assert.notEqual(typeof result, 'string');
    const proof = JSON.parse(await readText(result)) as AccountProof;
    assert.equal(proof.storageProof.length, slots.length);
    verifyAccountProof(proof, header.stateRoot);
  });
});
