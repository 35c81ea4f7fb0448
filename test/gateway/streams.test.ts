import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { composeGateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createRecordingLog, type RecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';
import { receiptsOf, resultOf, type SourcePlan, StreamingChain, valueFrom } from './scripted-source.ts';

type Setup = {
  readonly chain: StreamingChain;
  readonly log: RecordingLog;
  send(body: string, scope?: RequestScope): Promise<JsonResult>;
};

function setUp(plans: readonly SourcePlan[], limits: Partial<GatewayLimits> = {}): Setup {
  const chain = new StreamingChain(plans);
  const network = createScriptedNetwork(chain);
  const log = createRecordingLog();
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    limits,
    log,
  });
  const session = { network, principal: { id: 'p', name: 'p' } };
  return {
    chain,
    log,
    async send(body, scope = new RequestScope(performance.now() + 60_000)) {
      return (await gateway.handle(Buffer.from(body), session, scope)).body;
    },
  };
}

async function read(body: JsonResult): Promise<string> {
  if (typeof body === 'string') return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const never = (): Promise<void> => new Promise(() => {});
const afterFirst = (pause: () => Promise<void>) => (n: number) => (n === 0 ? Promise.resolve() : pause());
const SMALL: SourcePlan = { pieces: 4, pieceBytes: 100 };
const error = (code: number, message: string, id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;

test('a streamed result is answered as a stream, with the id as written', async () => {
  const { send, chain, log } = setUp([SMALL]);
  for (const id of ['1', '1.0', '18446744073709551617', '"é\\n"', 'null']) {
    const body = await send(receiptsOf(0, id));
    assert.equal(typeof body, 'object');
    assert.equal(await read(body), resultOf(valueFrom(SMALL), id));
  }
  assert.ok(chain.sources.every(({ taken }) => taken === 4));
  assert.deepEqual(log.lines, []);
});

test('a source that fails before its first bytes is an error', async () => {
  const { send, chain, log } = setUp([
    { ...SMALL, breakAt: 0 },
    { pieces: 0, pieceBytes: 0 },
  ]);
  assert.equal(await send(receiptsOf(0)), error(-32603, 'no node could answer: the node hung up'));
  assert.equal(await send(receiptsOf(1)), error(-32603, 'no node could answer: the answer was empty'));
  assert.ok(chain.sources.every(({ isCancelled }) => isCancelled));
  assert.deepEqual(log.lines, []);
});

test('the read is rejected and the failure logged if the source fails later', async () => {
  for (const breakAt of [1, 3, 4]) {
    const { send, log } = setUp([{ ...SMALL, breakAt }]);
    await assert.rejects(read(await send(receiptsOf(0))), RpcError);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines.join(), /"warn".*eth_getBlockReceipts.*broke off/);
  }
});

test('the time limit of a body applies up to the first bytes', async () => {
  const { send, chain } = setUp([{ ...SMALL, pause: never }], { bodyTimeoutMs: 20 });
  assert.equal(await send(receiptsOf(0)), error(-32002, 'request timed out (bound: request.time)'));
  assert.equal(chain.sources[0]?.isCancelled, true);
});

test('the time limit of a body does not apply after the first bytes', async () => {
  const pause = afterFirst(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
  const { send } = setUp([{ ...SMALL, pause }], { bodyTimeoutMs: 1_000 });
  const body = await send(receiptsOf(0));
  assert.equal(typeof body, 'object');
  assert.equal(await read(body), resultOf(valueFrom(SMALL)));
});

test('a stream counts as a body in flight until it is read, cancelled or broken', async () => {
  const { send, chain } = setUp([SMALL, { ...SMALL, breakAt: 2 }], { bodiesInFlight: 1 });
  const isFull = async (): Promise<boolean> => (await send('{}')) === overloaded;
  const overloaded = error(-32005, 'limit exceeded: too many requests in progress (bound: bodies)', 'null');

  const whole = await send(receiptsOf(0));
  assert.ok(await isFull());
  await read(whole);
  assert.ok(!(await isFull()));

  const cancelled = await send(receiptsOf(0));
  assert.ok(typeof cancelled !== 'string' && (await isFull()));
  cancelled.cancel();
  cancelled.cancel();
  assert.ok(!(await isFull()));
  assert.equal(chain.sources[1]?.isCancelled, true);

  const broken = await send(receiptsOf(1));
  assert.ok(await isFull());
  await assert.rejects(read(broken));
  assert.ok(!(await isFull()));
  const last = await send(receiptsOf(0));
  assert.ok(await isFull());
  await read(last);
});

test('a client that disconnects cancels the source, and the read is rejected', async () => {
  for (const pause of [afterFirst(never), () => Promise.resolve()]) {
    const { send, chain, log } = setUp([{ ...SMALL, pause }]);
    const scope = new RequestScope(performance.now() + 60_000);
    const body = await send(receiptsOf(0), scope);
    scope.abort();
    assert.equal(chain.sources[0]?.isCancelled, true);
    await assert.rejects(read(body), { message: 'request cancelled' });
    assert.deepEqual(log.lines, []);
  }
});

test('a client that disconnects before the first bytes cancels the source', async () => {
  const { send, chain } = setUp([{ ...SMALL, pause: never }]);
  const scope = new RequestScope(performance.now() + 60_000);
  const answer = send(receiptsOf(0), scope);
  while (chain.sources.length === 0) await new Promise((resolve) => setImmediate(resolve));
  scope.abort();
  assert.equal(await answer, error(-32000, 'request cancelled'));
  assert.equal(chain.sources[0]?.isCancelled, true);
});

test('a notification cancels its streamed result', async () => {
  const { send, chain } = setUp([SMALL]);
  assert.equal(await send(receiptsOf(0, '')), '');
  assert.equal(await send(`[${receiptsOf(0, '')}]`), '');
  assert.deepEqual(
    chain.sources.map(({ isCancelled }) => isCancelled),
    [true, true],
  );
});

test('streamed results of a batch are joined in the order of the items', async () => {
  const large: SourcePlan = { pieces: 50, pieceBytes: 10_000 };
  const { send } = setUp([large, SMALL]);
  const body = await send(
    `[${receiptsOf(0)},${receiptsOf(1, '2')},{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}]`,
  );
  assert.equal(typeof body, 'object');
  assert.equal(
    await read(body),
    `[${resultOf(valueFrom(large))},${resultOf(valueFrom(SMALL), '2')},${resultOf('"0x539"', '3')}]`,
  );
  assert.equal(
    await send(`[${receiptsOf(1)},{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}]`),
    `[${resultOf(valueFrom(SMALL))},${resultOf('"0x539"', '3')}]`,
  );
});

test('a source that fails in a batch is an error of its item', async () => {
  const { send } = setUp([{ ...SMALL, breakAt: 2 }, SMALL]);
  assert.equal(
    await send(`[${receiptsOf(0)},${receiptsOf(1, '2')}]`),
    `[${error(-32603, 'no node could answer: the node hung up')},${resultOf(valueFrom(SMALL), '2')}]`,
  );
});

test('a stream beyond the limit of a batch is not read any further', async () => {
  const endless: SourcePlan = { pieces: Number.POSITIVE_INFINITY, pieceBytes: 1_000 };
  const { send, chain } = setUp([SMALL, endless], { batchAnswerBytes: 20_000 });
  const tooLarge = (id: string): string => error(-32003, 'response too large (bound: batch.answerBytes)', id);
  assert.equal(
    await send(`[${receiptsOf(0)},${receiptsOf(1, '2')},${receiptsOf(1, '3')},${receiptsOf(0, '4')}]`),
    `[${resultOf(valueFrom(SMALL))},${tooLarge('2')},${tooLarge('3')},${tooLarge('4')}]`,
  );
  assert.ok(chain.sources.every(({ taken, isCancelled }) => isCancelled && taken <= 25));
});

test('a stalled source in a batch ends with the time limit of the body', async () => {
  const { send, chain } = setUp([{ ...SMALL, pause: afterFirst(never) }, SMALL], { bodyTimeoutMs: 1_500 });
  assert.equal(
    await send(`[${receiptsOf(1)},${receiptsOf(0, '2')},${receiptsOf(0, '3')}]`),
    `[${resultOf(valueFrom(SMALL))},${error(-32002, 'request timed out (bound: request.time)', '2')},${error(-32002, 'request timed out (bound: request.time)', '3')}]`,
  );
  assert.ok(chain.sources.every(({ isCancelled }) => isCancelled));
});

test('a batch cancels its sources when the client disconnects', async () => {
  const { send, chain } = setUp([{ ...SMALL, pause: afterFirst(never) }]);
  const scope = new RequestScope(performance.now() + 60_000);
  const answer = send(`[${receiptsOf(0)}]`, scope);
  while (chain.sources[0]?.taken !== 1) await new Promise((resolve) => setImmediate(resolve));
  scope.abort();
  assert.equal(await answer, `[${error(-32000, 'request cancelled')}]`);
  assert.equal(chain.sources[0]?.isCancelled, true);
});
