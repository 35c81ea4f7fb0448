/** Answers that are too large to be produced in one step: of calls that are executed here, and of batches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeHexData } from '../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { MAX_REASON_BYTES } from '../../packages/ethereum/primitives/revert-reason.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { composeGateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { AnswerMemory } from '../../src/util/answer-memory.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork, ScriptedChain } from './scripted-network.ts';

const RETURNER = `0x${'11'.repeat(20)}`;
const REVERTER = `0x${'22'.repeat(20)}`;
const SLOW = `0x${'33'.repeat(20)}`;
const BYTES = 1_000_000;

/** `Error(string)` of zeros, of `BYTES` bytes; return data has the same size. */
const REASON = Buffer.alloc(BYTES);
REASON.write(`08c379a0${'20'.padStart(64, '0')}${(BYTES - 100).toString(16).padStart(64, '0')}`, 'hex');

class LargeChain extends ScriptedChain {
  calls = 0;
  #slow = 0;
  #onSlow = (): void => {};
  #finish = (): void => {};
  readonly #finished = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  /** Resolves when `count` calls of `SLOW` wait and all others are answered. */
  async areSlow(count: number): Promise<void> {
    while (this.#slow < count) {
      await new Promise<void>((resolve) => {
        this.#onSlow = resolve;
      });
    }
    await new Promise(setImmediate);
  }

  /** Answers the calls of `SLOW`. */
  finish(): void {
    this.#finish();
  }

  override async call({ call }: CallRequest): Promise<string> {
    this.calls++;
    if (call.to === SLOW) {
      this.#slow++;
      this.#onSlow();
      await this.#finished;
      return '"0x05"';
    }
    if (call.to === REVERTER) throw new ChainError('reverted', 'execution reverted', REASON);
    return encodeHexData(Buffer.alloc(BYTES, 0xab)) as unknown as string;
  }
}

type Answered = { readonly status: number; readonly body: JsonResult };

function setUp(
  limits: Partial<GatewayLimits> = {},
  chain = new LargeChain(),
): (body: unknown, key?: string) => Promise<Answered> {
  const network = createScriptedNetwork(chain);
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    limits,
    log: createRecordingLog(),
  });
  return async (body, key = 'p') => {
    const scope = new RequestScope(performance.now() + 60_000);
    const session = { network, principal: { id: key, name: key } };
    return gateway.handle(Buffer.from(JSON.stringify(body)), session, scope);
  };
}

const call = (to: string, id = 1): object => ({ jsonrpc: '2.0', id, method: 'eth_call', params: [{ to }] });

async function read({ body }: Answered): Promise<string> {
  if (typeof body === 'string') return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const RETURNED = `{"jsonrpc":"2.0","id":1,"result":"0x${'ab'.repeat(BYTES)}"}`;

test('a large result is answered as a stream, alone and in a batch', async () => {
  const send = setUp();
  const single = await send(call(RETURNER));
  assert.equal(typeof single.body, 'object');
  assert.equal(await read(single), RETURNED);
  const batch = await send([call(RETURNER), call(RETURNER)]);
  assert.equal(typeof batch.body, 'object');
  assert.equal(await read(batch), `[${RETURNED},${RETURNED}]`);
});

test('a large revert reason is cut, and its data is whole and streamed', async () => {
  const send = setUp();
  for (const body of [call(REVERTER), [call(REVERTER)]]) {
    const answer = await send(body);
    assert.equal(typeof answer.body, 'object');
    const [{ error }] = [JSON.parse(await read(answer))].flat() as [
      { error: { code: number; message: string; data: string } },
    ];
    assert.equal(error.code, 3);
    assert.equal(error.message, `execution reverted: ${'\0'.repeat(MAX_REASON_BYTES)}…`);
    assert.equal(error.data, `0x${REASON.toString('hex')}`);
  }
});

test('a result beyond the bound of an answer is an error', async () => {
  const send = setUp({ batchAnswerBytes: 1_500_000 });
  const tooLarge =
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"response too large (bound: batch.answerBytes)"}}';
  for (const to of [RETURNER, REVERTER]) {
    const { status, body } = await send(call(to));
    assert.deepEqual([status, body], [200, tooLarge]);
    assert.equal(await read(await send([call(to)])), `[${tooLarge}]`);
  }
});

test('one key cannot reserve all memory for answers', async () => {
  const send = setUp({ reservedAnswerBytes: 4 * BYTES });
  const reserved = [await send(call(RETURNER)), await send(call(RETURNER))];
  const refused = await send(call(RETURNER));
  assert.equal(refused.status, 429);
  assert.match(refused.body as string, /"id":1,"error":\{"code":-32005/);
  reserved.push(await send(call(RETURNER), 'other'));
  for (const answer of reserved) assert.equal(await read(answer), RETURNED);
  const again = await send(call(RETURNER));
  assert.equal(again.status, 200);
  assert.equal(await read(again), RETURNED);
});

test('a cancelled answer releases its memory', async () => {
  const send = setUp({ reservedAnswerBytes: 2 * BYTES, ownerShare: 1 });
  for (let i = 0; i < 5; i++) {
    const { status, body } = await send(call(RETURNER));
    assert.ok(status === 200 && typeof body !== 'string');
    body.cancel();
  }
});

test('batches share the memory for answers as soon as a result is available', async () => {
  const chain = new LargeChain();
  // The budget has room for a slow call that begins when both results are there.
  const send = setUp({ reservedAnswerBytes: 4.5 * BYTES }, chain);
  const waiting = [call(RETURNER), call(SLOW, 2)];
  const reserved = [send(waiting), send(waiting)];
  await chain.areSlow(2);
  // Both hold nearly half of the budget: no room is left for a third one, nor for a single call.
  const refused = await read(await send([call(RETURNER)]));
  assert.match(refused, /^\[\{"jsonrpc":"2.0","id":1,"error":\{"code":-32005/);
  assert.equal((await send(call(RETURNER))).status, 429);
  const other = await send([call(RETURNER)], 'other');
  assert.equal(await read(other), `[${RETURNED}]`);
  chain.finish();
  const texts = await Promise.all(reserved.map(async (answer) => read(await answer)));
  const full = `[${RETURNED},{"jsonrpc":"2.0","id":2,"result":"0x05"}]`;
  assert.deepEqual(texts, [full, full]);
  assert.equal(await read(await send([call(RETURNER)])), `[${RETURNED}]`);
});

test('a cancelled answer of a batch releases its memory', async () => {
  const send = setUp({ reservedAnswerBytes: 2 * BYTES, ownerShare: 1 });
  for (let i = 0; i < 5; i++) {
    const { body } = await send([call(RETURNER), call(REVERTER, 2)]);
    assert.ok(typeof body !== 'string');
    assert.equal(body.reservedBytes, 122 * 16 * 1024);
    body.cancel();
  }
});

test('a call without memory for its answer is not executed', async () => {
  const chain = new LargeChain();
  const send = setUp({ reservedAnswerBytes: 4 * BYTES }, chain);
  const reserved = [await send(call(RETURNER)), await send(call(RETURNER))];
  assert.equal((await send(call(RETURNER))).status, 429);
  assert.match(
    await read(await send([call(RETURNER)])),
    /^\[\{"jsonrpc":"2.0","id":1,"error":\{"code":-32005/,
  );
  assert.equal(chain.calls, 2);
  for (const answer of reserved) assert.equal(await read(answer), RETURNED);
});

/** A chain that reserves as much memory as a large answer while it assembles one. */
class CollectingChain extends LargeChain {
  override async call(request: CallRequest, scope?: RequestScope): Promise<string> {
    assert.ok(scope !== undefined);
    const memory = AnswerMemory.of(scope);
    try {
      if (!memory.hold(BYTES)) throw new ChainError('busy', 'answers.bytes');
      return await super.call(request);
    } finally {
      memory.release();
    }
  }
}

test('memory that a chain reserves while it assembles an answer counts as memory for answers', async () => {
  const chain = new CollectingChain();
  const send = setUp({ reservedAnswerBytes: 4 * BYTES }, chain);
  const collected = [send(call(SLOW)), send(call(SLOW))];
  await chain.areSlow(2);
  const refused = await send(call(RETURNER));
  assert.equal(refused.status, 429);
  assert.match(refused.body as string, /"code":-32005/);
  assert.equal(await read(await send(call(RETURNER), 'other')), RETURNED);
  chain.finish();
  for (const answer of collected) assert.match(await read(await answer), /"result":"0x05"/);
  assert.equal(await read(await send(call(RETURNER))), RETURNED);
});
