/** Answers too long to be joined into one text are read from their bytes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { JsonBytes, type JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { LONG_BYTES } from '../../src/pool/upstream-request.ts';
import { createScope } from './support/exchange.ts';
import { createNetwork } from './support/network.ts';
import { ScriptedChain } from './support/scripted-chain.ts';
import { type Behaviour, createNode } from './support/scripted-node.ts';
import { createStream, readAll } from './support/scripted-stream.ts';

const NO_BYTES = new Uint8Array(0);
const HEAD = 30;
const LOGS_OF_BLOCK = 20;
const chain = new ScriptedChain({ length: HEAD + 1, transactions: () => 1 });
const hex = (value: number): string => `0x${value.toString(16)}`;

/** Logs of some of the blocks, each with this many bytes of data. */
function listLogs(first: number, last: number, bytes: number, word = ''): object[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return numbers.flatMap((number) =>
    Array.from({ length: LOGS_OF_BLOCK }, (_, index) => ({
      address: `0x${'aa'.repeat(20)}`,
      topics: [],
      data: `0x${'ab'.repeat(bytes)}`,
      blockNumber: hex(number),
      blockHash: chain.hashOf(number),
      transactionHash: chain.transactionHash(number, 0),
      transactionIndex: '0x0',
      logIndex: hex(index),
      removed: false,
      word,
    })),
  );
}

type Filter = { readonly fromBlock: string; readonly toBlock: string };

/** Streams the logs that `make` returns for a filter. */
const logNode =
  (make: (first: number, last: number) => object[]): Behaviour =>
  (call, options) => {
    if (call.method !== 'eth_getLogs') return chain.behaviour()(call, options);
    const [{ fromBlock, toBlock }] = JSON.parse(call.params) as [Filter];
    const text = JSON.stringify(make(Number(fromBlock), Number(toBlock)));
    return { kind: 'result', result: createStream(text, { pieceBytes: 65_536 }) };
  };

function getLogs(behaviour: Behaviour, bytes = 64 * 1024 * 1024): PromiseOrValue<JsonResult> {
  const network = createNetwork(chain, { limits: { results: 10_000, bytes } }, [createNode({ behaviour })]);
  const at = (number: number) => ({ kind: 'number', number: BigInt(number) }) as const;
  const blocks = { kind: 'range', from: at(1), to: at(HEAD) } as const;
  return network.chain.logs.getLogs({ blocks, addresses: [], topics: [] }, createScope());
}

/** Watches for the most bytes decoded, or characters encoded, at a time. */
function watchTexts(context: TestContext): () => number {
  let most = 0;
  const note = (length: number): void => {
    most = Math.max(most, length);
  };
  const { decode } = TextDecoder.prototype;
  context.mock.method(TextDecoder.prototype, 'decode', function (this: unknown, bytes = NO_BYTES) {
    note(bytes.length);
    return decode.call(this as never, bytes);
  });
  const { toString: read } = Buffer.prototype;
  context.mock.method(
    Buffer.prototype,
    'toString',
    function (this: Buffer, ...args: Parameters<typeof read>) {
      note(this.length);
      return read.apply(this, args);
    },
  );
  return () => most;
}

for (const [what, word] of [
  ['ASCII', ''],
  ['other characters', 'é€💡'],
] as const)
  test(`long logs are compared, counted and passed on without decoding all of their text: ${what}`, async (context) => {
    const make = (first: number, last: number): object[] => listLogs(first, last, 8_000, word);
    const most = watchTexts(context);
    const answer = await getLogs(logNode(make));
    const decoded = most();
    assert.ok(answer instanceof JsonBytes);
    assert.ok(answer.length > 2 * LONG_BYTES);
    assert.ok(decoded <= 64 * 1024, `${decoded} bytes at a time`);
    assert.deepEqual(JSON.parse(await readAll(answer)), make(1, HEAD));
  });

test('shorter logs are text', async () => {
  const answer = await getLogs(logNode((first, last) => listLogs(first, last, 1_000)));
  assert.equal(typeof answer, 'string');
  assert.deepEqual(JSON.parse(answer as string), listLogs(1, HEAD, 1_000));
});

test('long logs are checked and bounded', async () => {
  const swapped = logNode((first, last) => listLogs(first, last, 8_000).reverse());
  await assert.rejects(Promise.resolve(getLogs(swapped)), { message: /out of order|do not match|malformed/ });
  const many = logNode((first, last) => listLogs(first, last, 8_000));
  await assert.rejects(Promise.resolve(getLogs(many, 8 * 1024 * 1024)), { name: 'ChainError' });
});

test('storage values are read without decoding all of their text', async (context) => {
  const address = `0x${'aa'.repeat(20)}`;
  const word = `0x${'01'.repeat(32)}`;
  const text = `{"${address}":${' '.repeat(2 * LONG_BYTES)}["${word}"]}`;
  const node: Behaviour = (call, options) =>
    call.method === 'eth_getStorageValues'
      ? { kind: 'result', result: createStream(text, { pieceBytes: 65_536 }) }
      : chain.behaviour()(call, options);
  const network = createNetwork(chain, {}, [createNode({ behaviour: node })]);
  const most = watchTexts(context);
  const answer = await network.chain.state.getStorageValues(
    new Map([[address, ['0x0']]]),
    { kind: 'number', number: BigInt(HEAD) },
    createScope(),
  );
  const decoded = most();
  assert.equal(answer, `{"${address}":["${word}"]}`);
  assert.ok(decoded <= 64 * 1024, `${decoded} bytes at a time`);
});

test('a receipt is compared with its block and passed on without decoding all of its text', async (context) => {
  const receipt = { ...chain.receiptObject(7, 0), word: 'é€💡'.repeat(LONG_BYTES / 4) };
  const text = JSON.stringify(receipt);
  const node: Behaviour = (call, options) =>
    call.method === 'eth_getTransactionReceipt'
      ? { kind: 'result', result: createStream(text, { pieceBytes: 65_536 }) }
      : chain.behaviour()(call, options);
  const network = createNetwork(chain, {}, [createNode({ behaviour: node })]);
  const most = watchTexts(context);
  for (let i = 0; i < 2; i++) {
    const answer = await network.chain.transactions.getReceipt(chain.transactionHash(7, 0), createScope());
    const decoded = most();
    assert.ok(answer instanceof JsonBytes);
    assert.ok(decoded <= 64 * 1024, `${decoded} bytes at a time`);
    assert.ok(Buffer.from(answer.value.bytes).equals(Buffer.from(text)));
  }
});
