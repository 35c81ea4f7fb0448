/** Logs found by the index, compared with the receipts of all blocks. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError, type ChainErrorKind, createBoundRefusal } from '../../../src/chain/errors.ts';
import type { LogFilter } from '../../../src/chain/requests.ts';
import { EngineChain } from '../../../src/chains/embedded/engine-chain.ts';
import { completeIndexes } from '../../../src/service/index-store.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { SharedBudget } from '../../../src/util/shared-budget.ts';
import { ChainBuilder } from '../../support/chain-builder.ts';
import { countRuns } from '../../support/count-runs.ts';
import { LOGGER_COPIES, LOGGERS, loggerAddress, signLogging } from '../../support/logging-chain.ts';
import { stripIndexes } from '../../support/strip-indexes.ts';
import { createGenesis, limitTo, type OpenedChain, openBuiltChain } from '../../support/test-chain.ts';

type WireLog = { readonly address: string; readonly topics: readonly string[]; readonly blockNumber: string };

const BLOCKS = 60;
const TIME_LIMIT_MS = 60_000;
/** Few topics, so that alternatives coincide, and an address and a topic that no log has. */
const TOPICS = Array.from({ length: 6 }, (_, i) => new Uint8Array(32).fill(0xe0 + i));
const ABSENT_TOPIC = `0x${'ab'.repeat(32)}`;
const ABSENT_ADDRESS = `0x${'cd'.repeat(20)}`;

const numberOf = (number: bigint): { readonly kind: 'number'; readonly number: bigint } => ({
  kind: 'number',
  number,
});
const inRange = (from: number, to: number): LogFilter['blocks'] => ({
  kind: 'range',
  from: numberOf(BigInt(from)),
  to: numberOf(BigInt(to)),
});

async function read(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('logs of an embedded chain', () => {
  const genesis = createGenesis({ revision: 'cancun', alloc: LOGGERS });
  const builder = new ChainBuilder(genesis);
  let opened: OpenedChain;
  /** All logs of the chain, by block. */
  const all: WireLog[][] = [];

  before(async () => {
    let nonce = 0n;
    for (let block = 1; block <= BLOCKS; block++) {
      // Some blocks have no logs, a few have many.
      const count = block % 7 === 0 ? 0 : block % 20 === 0 ? 60 : block % 4;
      const transactions = Array.from({ length: count }, (_, i) => {
        const topics = Array.from(
          { length: (block + i) % 5 },
          (__, at) => TOPICS[(block * 3 + i * (at + 1)) % 6] as Uint8Array,
        );
        return signLogging(
          nonce++,
          topics,
          new Uint8Array((block * i) % 70).fill(i),
          (block + i) % LOGGER_COPIES,
        );
      });
      await builder.add({ transactions });
    }
    opened = await openBuiltChain(genesis, builder);
    for (let block = 0; block <= BLOCKS; block++) {
      const receipts = opened.chain.blocks.getReceipts(numberOf(BigInt(block)));
      const parsed = JSON.parse(await read(receipts as JsonResult)) as { readonly logs: WireLog[] }[];
      all.push(parsed.flatMap(({ logs }) => logs));
    }
  });
  after(() => opened.close());

  test('of a block by its hash are returned synchronously, as in its receipts', () => {
    const scope = limitTo(TIME_LIMIT_MS);
    for (let block = 0; block <= BLOCKS; block++) {
      const logs = opened.chain.logs.getBlockLogs(bytesToHex(builder.hashAt(block)), scope);
      assert.ok(Array.isArray(logs));
      assert.deepEqual(
        logs.map(({ json }) => JSON.parse(json)),
        all[block],
      );
      for (const { address, topics, json } of logs) {
        const parsed = JSON.parse(json) as WireLog;
        assert.deepEqual([address, topics], [parsed.address, parsed.topics]);
        assert.ok(json.endsWith('"removed":false}'));
      }
    }
    assert.equal(opened.chain.logs.getBlockLogs(`0x${'12'.repeat(32)}`, scope), null);
  });

  test('a receipt by transaction hash equals the receipt in its block, also when requested again', async () => {
    type Receipt = { readonly transactionHash: string };
    let count = 0;
    for (let round = 0; round < 2; round++) {
      for (let block = 0; block <= BLOCKS; block++) {
        const stored = opened.chain.blocks.getReceipts(numberOf(BigInt(block)));
        for (const receipt of JSON.parse(await read(stored as JsonResult)) as Receipt[]) {
          const found = opened.chain.transactions.getReceipt(receipt.transactionHash);
          assert.deepEqual(JSON.parse(await read(found as JsonResult)), receipt);
          count++;
        }
      }
    }
    assert.ok(count > 400, `${count} receipts`);
  });

  const getLogs = async (filter: Partial<LogFilter>, chain = opened.chain): Promise<WireLog[]> => {
    const whole: LogFilter = { blocks: inRange(0, BLOCKS), addresses: [], topics: [], ...filter };
    return JSON.parse(await read(await chain.logs.getLogs(whole, limitTo(TIME_LIMIT_MS)))) as WireLog[];
  };

  /** Filters logs like geth's `filterLogs`. */
  const expected = (
    { addresses = [], topics = [] }: Partial<LogFilter>,
    from: number,
    to: number,
  ): WireLog[] =>
    all
      .slice(from, to + 1)
      .flat()
      .filter(
        (log) =>
          (addresses.length === 0 || addresses.includes(log.address)) &&
          topics.length <= log.topics.length &&
          topics.every((some, i) => some.length === 0 || some.includes(log.topics[i] as string)),
      );

  const anAddress = fc.oneof(
    fc
      .tuple(fc.nat(4), fc.nat(LOGGER_COPIES - 1))
      .map(([topics, copy]) => bytesToHex(loggerAddress(topics, copy))),
    fc.constant(ABSENT_ADDRESS),
  );
  const aTopic = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TOPICS).map(bytesToHex) },
    { weight: 1, arbitrary: fc.constant(ABSENT_TOPIC) },
  );

  test('equal the matching logs of the receipts, whatever the filter', async () => {
    assert.ok(all.flat().length > 300, `${all.flat().length} logs`);
    assert.deepEqual(await getLogs({}), all.flat());
    for (const topic of TOPICS.map(bytesToHex)) {
      const found = await getLogs({ topics: [[topic]] });
      assert.ok(found.length > 0, `no log has the topic ${topic}`);
      assert.deepEqual(found, expected({ topics: [[topic]] }, 0, BLOCKS));
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(anAddress, { maxLength: 4 }),
        fc.array(fc.array(aTopic, { maxLength: 3 }), { maxLength: 4 }),
        fc.nat(BLOCKS),
        fc.nat(BLOCKS),
        async (addresses, topics, a, b) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const logs = await getLogs({ addresses, topics, blocks: inRange(from, to) });
          assert.deepEqual(logs, expected({ addresses, topics }, from, to));
        },
      ),
      { numRuns: countRuns(500) },
    );
  });

  test('of one block are found by its hash', async () => {
    for (const block of [0, 7, 20, BLOCKS]) {
      const hash = bytesToHex(builder.hashAt(block));
      assert.deepEqual(await getLogs({ blocks: { kind: 'block', hash } }), all[block]);
    }
  });

  test('are found with tags as ends of the range', async () => {
    const tag = (name: 'latest' | 'earliest' | 'safe' | 'finalized') => ({ kind: 'tag', tag: name }) as const;
    for (const [from, to, first] of [
      [tag('latest'), tag('latest'), BLOCKS],
      [tag('safe'), tag('finalized'), BLOCKS],
      [tag('earliest'), tag('latest'), 0],
      [numberOf(20n), tag('latest'), 20],
      [tag('earliest'), tag('safe'), 0],
    ] as const) {
      assert.deepEqual(await getLogs({ blocks: { kind: 'range', from, to } }), expected({}, first, BLOCKS));
    }
  });

  const assertFails = async (
    filter: Partial<LogFilter>,
    kind: ChainErrorKind,
    message: string,
  ): Promise<void> => {
    await assert.rejects(
      async () => getLogs(filter),
      (error) => error instanceof ChainError && error.kind === kind && error.message === message,
      message,
    );
  };

  test("of an invalid range or unknown block are refused with geth's messages", async () => {
    const latest = { kind: 'tag', tag: 'latest' } as const;
    const pending = { kind: 'tag', tag: 'pending' } as const;
    const range = (from: typeof latest | typeof pending | ReturnType<typeof numberOf>, to: typeof from) =>
      ({ blocks: { kind: 'range', from, to } }) as const;
    const head = BigInt(BLOCKS);
    const invalid = 'invalid block range params';
    await assertFails(range(numberOf(5n), numberOf(4n)), 'invalid', invalid);
    await assertFails(range(latest, numberOf(head)), 'invalid', invalid);
    await assertFails(range(numberOf(head + 1n), latest), 'invalid', invalid);
    await assertFails(
      range(numberOf(1n), numberOf(head + 1n)),
      'invalid',
      'block range extends beyond current head block',
    );
    await assertFails(range(pending, latest), 'invalid', 'pending logs are not supported');
    await assertFails(range(numberOf(1n), pending), 'invalid', 'pending logs are not supported');
    await assertFails({ blocks: { kind: 'block', hash: ABSENT_TOPIC } }, 'failed', 'unknown block');
  });

  test('are bounded in number, bytes and block range, and the error names a smaller range', async () => {
    const most = expected({}, 0, 19).length;
    const bounded = new EngineChain(opened.store, opened.pool, {
      logs: { blockRange: 61, results: most, bytes: 2 ** 20 },
    });
    const from = async (block: number, to: number): Promise<WireLog[]> =>
      getLogs({ blocks: inRange(block, to) }, bounded);
    assert.equal((await from(0, 19)).length, most);
    const message = `query returned more than ${most} results. Try with this block range [0x0, 0x13]. (bound: logs.results)`;
    await assert.rejects(from(0, BLOCKS), { kind: 'exceeded', message, bound: 'logs.results' });
    await bounded.close();

    const narrow = new EngineChain(opened.store, opened.pool, {
      logs: { blockRange: 10, results: 100, bytes: 2_000 },
    });
    await assert.rejects(
      async () => getLogs({ blocks: inRange(1, 11) }, narrow),
      createBoundRefusal('invalid', 'logs.blockRange', 10),
    );
    await assert.rejects(
      async () => getLogs({ blocks: inRange(20, 21) }, narrow),
      createBoundRefusal('exceeded', 'logs.bytes', '2000 bytes.'),
    );
    await narrow.close();
  });

  test('are found in a store of an earlier version, after its indexes are completed', async () => {
    const old = await openBuiltChain(genesis, builder);
    await old.chain.close();
    await stripIndexes(old.store);
    await completeIndexes(old.store, { info: () => undefined });
    const chain = new EngineChain(old.store, old.pool);
    for (const filter of [
      {},
      { addresses: [bytesToHex(loggerAddress(2, 1))] },
      {
        topics: TOPICS.slice(1)
          .map((topic) => [bytesToHex(topic)])
          .slice(0, 2),
      },
    ]) {
      assert.deepEqual(await getLogs(filter, chain), expected(filter, 0, BLOCKS));
    }
    await chain.close();
    await old.close();
  });

  test('are not searched further after the client has cancelled', async () => {
    const scope = new RequestScope(performance.now() + TIME_LIMIT_MS);
    scope.abort();
    await assert.rejects(
      async () => opened.chain.logs.getLogs({ blocks: inRange(0, BLOCKS), addresses: [], topics: [] }, scope),
      (error) => error instanceof ChainError && error.kind === 'aborted',
    );
  });
});

test('an answer of logs reserves memory as it grows, is refused without memory, and releases it', async () => {
  const genesis = createGenesis({ revision: 'cancun', alloc: LOGGERS });
  const builder = new ChainBuilder(genesis);
  const transactions = Array.from({ length: 60 }, (_, i) =>
    signLogging(BigInt(i), [], new Uint8Array(5_000), 0),
  );
  await builder.add({ transactions });
  const { chain, close } = await openBuiltChain(genesis, builder);
  const ask = async (answers: SharedBudget): Promise<JsonResult> => {
    const scope = limitTo(TIME_LIMIT_MS);
    scope.answers = answers;
    return chain.logs.getLogs({ blocks: inRange(0, 1), addresses: [], topics: [] }, scope);
  };
  const small = new SharedBudget(1_000_000, 1);
  await assert.rejects(ask(small), (error) => error instanceof ChainError && error.kind === 'busy');
  assert.equal(small.used, 0);
  const large = new SharedBudget(2_000_000, 1);
  const result = await ask(large);
  assert.equal(large.used, 0, 'the receiver of the answer counts it');
  assert.ok(
    typeof result !== 'string' && result.reservedBytes !== undefined && result.reservedBytes > 1_200_000,
  );
  assert.equal((JSON.parse(await read(result)) as WireLog[]).length, 120);
  await close();
});
