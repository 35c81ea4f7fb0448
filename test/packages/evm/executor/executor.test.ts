/** The executor of the package, on the blocks of the development chains and beside the embedded chain, which is compared with geth. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as later } from 'node:timers/promises';
import { type Block, decodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { computeLogsBloom, encodeReceipt } from '../../../../packages/ethereum/codecs/receipt.ts';
import { bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { createExecutorOn, type GenesisConfig } from '../../../../packages/evm/executor/create-executor.ts';
import { CallFailedError, type Executor } from '../../../../packages/evm/executor/executor.ts';
import { loadPairing } from '../../../../packages/evm/executor/load-pairing.ts';
import type { StateSource } from '../../../../packages/evm/executor/state-source.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';
import { ROOT } from '../../../../scripts/program-files.ts';
import { readBlocks } from '../../../../src/chains/embedded/import/read-blocks.ts';
import { createStateReader } from '../../../../src/chains/embedded/state/state-reader.ts';
import { openChainReader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { getCore } from '../../../../src/engine/create-evm.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../../../support/embedded.ts';

/** The development chain's token, and an account that has some of it. */
const TOKEN = hexToBytes('0xcabe9823112d187ea24d56be8e47ae75ed52a842');
const HOLDER = hexToBytes('0xb22db1efc84ea674085fe1364910d5e8196cbc81');
const RECIPIENT = hexToBytes('0x6f6164de4a5641bb11457a647cb8f450d5ab0b2b');

/** First block of each chain whose receipts have no state root. */
const FIRST_BLOCK = { devnet: 15, rollup: 1, 'op-rollup': 1 } as const;

type Chain = {
  readonly config: GenesisConfig;
  /** From the first block on. */
  readonly blocks: readonly Block[];
  readonly state: StateSource;
  readonly engine: EmbeddedChain['chain'];
};

async function readChain(t: TestContext, name: keyof typeof FIRST_BLOCK): Promise<Chain> {
  const folder = join(ROOT, 'chains', name);
  const file = join(folder, 'blocks.rlp.gz');
  const {
    chain: engine,
    folder: store,
    close,
  } = await importEmbeddedChain(join(folder, 'genesis.json'), file);
  const reader = openChainReader(store);
  t.after(close);
  const blocks: Block[] = [];
  for await (const { encoded } of readBlocks(file)) blocks.push(decodeBlock(encoded));
  const first = FIRST_BLOCK[name];
  const state = createStateReader(reader, BigInt(first) - 1n);
  return {
    config: JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')).config,
    blocks: blocks.filter(({ header }) => header.number >= first),
    state: {
      getAccount: (address) => state.getAccount(address),
      getStorage: (address, slot) => state.getStorage(address, slot),
      getCode: (hash) => state.getCode(hash),
      getBlockHash: (number) =>
        blocks.find(({ header }) => header.number === number + 1n)?.header.parentHash as Uint8Array,
    },
    engine,
  };
}

/** The same source, whose every answer comes later. */
function makeLate(source: StateSource): StateSource {
  const delay =
    <A extends unknown[], T>(read: (...args: A) => T) =>
    async (...args: A): Promise<Awaited<T>> => {
      await later();
      return await read(...args);
    };
  return {
    getAccount: delay(source.getAccount),
    getStorage: delay(source.getStorage),
    getCode: delay(source.getCode),
    getBlockHash: delay((number: bigint) => source.getBlockHash?.(number) as Uint8Array),
  };
}

async function executeAll(evm: Executor, { blocks }: Chain): Promise<void> {
  for (const block of blocks) {
    const { header } = block;
    const { receipts, gasUsed, requestsHash, accessList } = await evm.executeBlock(block);
    const where = `block ${header.number}`;
    assert.equal(
      bytesToHex(computeOrderedRoot(receipts.map(encodeReceipt))),
      bytesToHex(header.receiptsRoot),
      where,
    );
    assert.equal(gasUsed, header.gasUsed, where);
    assert.ok(bytesEqual(computeLogsBloom(receipts.flatMap(({ logs }) => logs)), header.logsBloom), where);
    assert.equal(
      requestsHash && bytesToHex(requestsHash),
      header.requestsHash && bytesToHex(header.requestsHash),
      where,
    );
    if (header.blockAccessListHash !== undefined)
      assert.ok(bytesEqual(keccak256(accessList?.encoded as Uint8Array), header.blockAccessListHash), where);
  }
}

for (const name of Object.keys(FIRST_BLOCK) as (keyof typeof FIRST_BLOCK)[]) {
  test(`the blocks of ${name} have the receipts of their headers, with a synchronous and an asynchronous source`, async (t) => {
    const chain = await readChain(t, name);
    const pairing = await loadPairing();
    for (const state of [chain.state, makeLate(chain.state)])
      await executeAll(createExecutorOn(getCore(), { state, chain: chain.config, pairing }), chain);
  });
}

test('calls, estimates and access lists equal those of the embedded chain', async (t) => {
  const own = await readChain(t, 'devnet');
  const chain = own.engine;
  const evm = createExecutorOn(getCore(), { state: own.state, chain: own.config });
  await executeAll(evm, own);
  const { header } = own.blocks.at(-1) as Block;
  const block = {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    beneficiary: header.beneficiary,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
  };
  const word = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2).padStart(64, '0');
  for (const data of [`0x70a08231${word(HOLDER)}`, `0xa9059cbb${word(RECIPIENT)}${'01'.padStart(64, '0')}`]) {
    const call = { from: HOLDER, to: TOKEN, data: hexToBytes(data) };
    const request = {
      call: { from: bytesToHex(HOLDER), to: bytesToHex(TOKEN), data },
      block: { kind: 'tag', tag: 'latest' },
    } as unknown as Parameters<typeof chain.execution.call>[0];
    const scope = new RequestScope(performance.now() + 60_000);
    const { status, output } = await evm.call(call, block);
    assert.equal(status, 'success');
    assert.equal(`"${bytesToHex(output)}"`, String(await chain.execution.call(request, scope)));
    const estimate = encodeQuantity(await evm.estimateGas(call, block));
    assert.equal(`"${estimate}"`, String(await chain.execution.estimateGas(request, scope)));
    const { accessList, gasUsed } = await evm.accessList(call, block);
    const listed = {
      accessList: accessList.map(({ address, storageKeys }) => ({
        address: bytesToHex(address),
        storageKeys: storageKeys.map(bytesToHex),
      })),
      gasUsed: encodeQuantity(gasUsed),
    };
    assert.deepEqual(JSON.parse(String(await chain.execution.createAccessList(request, scope))), listed);
  }
});

test('transactions change the executor but not the source, until forget()', async (t) => {
  const chain = await readChain(t, 'devnet');
  const evm = createExecutorOn(getCore(), { state: chain.state, chain: chain.config });
  // CALLDATALOAD 0 into slot 0; with empty input, returns slot 0.
  const code = hexToBytes('0x3615600a575f355f55005b5f545f5260205ff3');
  const creation = hexToBytes(`0x60138060095f395ff3${bytesToHex(code).slice(2)}`);
  const time = { number: 100n, timestamp: 2n ** 40n };
  const created = await evm.create({ data: creation }, time);
  assert.equal(created.status, 'success');
  assert.deepEqual(created.output, code);
  const { changes, status, createdAddress } = await evm.transact({ data: creation }, time);
  assert.equal(status, 'success');
  assert.deepEqual(createdAddress, created.address);
  assert.deepEqual(
    changes.codes.map(([, deployed]) => deployed),
    [code],
  );
  assert.equal(
    (await evm.transact({ to: created.address, data: new Uint8Array(32).fill(7) }, time)).status,
    'success',
  );
  assert.deepEqual((await evm.call({ to: created.address }, time)).output, new Uint8Array(32).fill(7));
  evm.forget();
  assert.deepEqual((await evm.call({ to: created.address }, time)).output, EMPTY_BYTES);
});

test('a failed estimate reports the reason, and an invalid transaction has geth’s message', async (t) => {
  const chain = await readChain(t, 'devnet');
  const evm = createExecutorOn(getCore(), { state: makeLate(chain.state), chain: chain.config });
  const time = { number: 100n, timestamp: 2n ** 40n };
  // REVERT with one byte.
  await assert.rejects(evm.estimateGas({ data: hexToBytes('0x60015ffd') }, time), (error) => {
    assert.ok(error instanceof CallFailedError);
    assert.equal(error.message, 'execution reverted');
    return error.outcome.output.length === 1;
  });
  await assert.rejects(evm.call({ to: TOKEN, gas: 2_000n }, time), TransactionError);
  await assert.rejects(
    evm.call({ from: RECIPIENT, to: TOKEN, value: 10n ** 30n }, time),
    /insufficient funds/,
  );
  await assert.rejects(evm.transact(Uint8Array.of(2, 0xc0)), RangeError);
});

const NOTHING: StateSource = {
  getAccount: () => undefined,
  getStorage: () => EMPTY_BYTES,
  getCode: () => EMPTY_BYTES,
};
const OSAKA = { chainId: 1, fork: 'osaka' } as const;

test('malformed inputs are refused with the name of the member, and change nothing', async () => {
  const evm = createExecutorOn(getCore(), { state: NOTHING, chain: OSAKA });
  const to = new Uint8Array(20).fill(7);
  for (const [input, message] of [
    [{ to: to.slice(1) }, /to: expected 20 bytes, not 19/],
    [{ to, from: new Uint8Array(64) }, /from: expected 20 bytes, not 64/],
    [{ to: '0x07' }, /to: expected a Uint8Array/],
    [{ to: null }, /to: expected a Uint8Array/],
    [{ to, data: '0x1234' }, /data: expected a Uint8Array/],
    [{ to, value: 5 }, /value: expected a bigint/],
    [{ to, value: -5n }, /value: expected 0 to 2\^256 - 1/],
    [{ to, gas: 2n ** 64n }, /gas: expected 0 to 2\^63 - 1/],
    [{ to, accessList: [{ address: to, storageKeys: [to] }] }, /storage key: expected 32 bytes, not 20/],
    [{}, /neither "to" nor "data" is set/],
  ] as const) {
    const given = input as unknown as Parameters<Executor['call']>[0];
    for (const run of [evm.call(given), evm.transact(given), evm.estimateGas(given), evm.accessList(given)])
      await assert.rejects(run, (error) => error instanceof RangeError && message.test(error.message));
  }
  assert.equal((await evm.call({ to })).status, 'success');
});

test('an unknown fork, a malformed chain and a malformed source are refused', () => {
  const create = (chain: unknown): Executor =>
    createExecutorOn(getCore(), { state: NOTHING, chain: chain as typeof OSAKA });
  assert.throws(() => create({ chainId: 1, fork: 'osakka' }), /there is no fork "osakka": use frontier, /);
  assert.throws(() => create({ config: { chainId: 1 } }), /pass the `config` object of the genesis file/);
  assert.throws(() => create(undefined), /chain: expected an object/);
  assert.throws(
    () => createExecutorOn(getCore(), { state: {} as StateSource, chain: OSAKA }),
    /getAccount is not a function/,
  );
});

test('results of a source are validated, and null means no account', async () => {
  const code = Uint8Array.of(0);
  const account = { nonce: 0n, balance: 0n, codeHash: keccak256(code), hasStorage: true };
  const to = new Uint8Array(20).fill(7);
  const call = (state: Partial<Record<keyof StateSource, unknown>>): Promise<unknown> =>
    createExecutorOn(getCore(), { state: { ...NOTHING, ...state } as StateSource, chain: OSAKA }).call({
      to,
    });
  assert.ok(await call({ getAccount: () => null }));
  await assert.rejects(
    call({ getAccount: () => ({ ...account, balance: 1 }) }),
    /balance: expected a bigint/,
  );
  await assert.rejects(
    call({ getAccount: () => ({ ...account, nonce: 2n ** 64n }) }),
    /nonce: expected 0 to/,
  );
  await assert.rejects(
    call({ getAccount: () => account, getCode: () => undefined }),
    /code: expected a Uint8Array/,
  );
  await assert.rejects(
    call({ getAccount: async () => account, getCode: async () => to }),
    /does not have the hash/,
  );
  assert.ok(await call({ getAccount: () => account, getCode: () => code }));
});

test('the changes of a block, written to a source, reproduce the state of the executor', async (t) => {
  const chain = await readChain(t, 'rollup');
  const ahead = createExecutorOn(getCore(), { state: chain.state, chain: chain.config });
  const accounts = new Map<string, AccountState | undefined>();
  const slots = new Map<string, Uint8Array>();
  const codes = new Map<string, Uint8Array>();
  const cleared = new Set<string>();
  const written: StateSource = {
    getAccount: (address) => {
      const key = bytesToHex(address);
      return accounts.has(key) ? accounts.get(key) : chain.state.getAccount(address);
    },
    getStorage: (address, slot) => {
      const owner = bytesToHex(address);
      const value = slots.get(owner + bytesToHex(slot));
      return value ?? (cleared.has(owner) ? EMPTY_BYTES : chain.state.getStorage(address, slot));
    },
    getCode: (hash, address) => codes.get(bytesToHex(hash)) ?? chain.state.getCode(hash, address),
    getBlockHash: (number) => chain.state.getBlockHash?.(number) as Uint8Array,
  };
  for (const block of chain.blocks) {
    const expected = await ahead.executeBlock(block);
    // An executor of its own for each block sees earlier blocks only as they were written.
    const { receipts, changes } = await createExecutorOn(getCore(), {
      state: written,
      chain: chain.config,
    }).executeBlock(block);
    assert.deepEqual(receipts, expected.receipts);
    for (const { address, account, isStorageCleared, storage } of changes.accounts) {
      const key = bytesToHex(address);
      accounts.set(key, account);
      if (account === undefined || isStorageCleared) {
        cleared.add(key);
        for (const slot of slots.keys()) if (slot.startsWith(key)) slots.delete(slot);
      }
      for (const [slot, value] of storage) slots.set(key + bytesToHex(slot), value);
    }
    for (const [hash, code] of changes.codes) codes.set(bytesToHex(hash), code);
  }
  assert.ok(accounts.size > 0 && slots.size > 0);
});

test('a precompile without its library throws, and the executor remains usable', async () => {
  const evm = createExecutorOn(getCore(), { state: NOTHING, chain: OSAKA });
  const precompile = (number: number): Uint8Array => new Uint8Array(20).fill(number, 19);
  await assert.rejects(evm.call({ to: precompile(6), data: new Uint8Array(128) }), /install mcl-wasm/);
  const { output } = await evm.call({ to: precompile(4), data: Uint8Array.of(1, 2) });
  assert.deepEqual(output, Uint8Array.of(1, 2));
});
