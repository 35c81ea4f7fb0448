/** Batch items that a chain answers in one coalesced call, beside all other items. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { Principal } from '../../src/access/principal.ts';
import type { CallOutcome, Executions, StateReads } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { composeGateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';

type Many = NonNullable<Executions['callMany']>;

type Setup = {
  /** Data of the coalesced calls, in the order of the batches; null in the place of an omitted one. */
  readonly together: (string | null)[][];
  /** Data of the calls that were made individually. */
  readonly alone: string[];
  /** Deadlines of calls, coalesced or individual. */
  readonly deadlines: number[];
  /** Reported calls as `method outcome source credits`. */
  readonly observed: string[];
  send(body: unknown, principal?: Principal): Promise<unknown>;
};

async function readText(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const dataOf = (request: CallRequest): string => request.call.data ?? '';
const requested = (answer: CallOutcome['answer']): CallOutcome => ({ answer, isRequested: true });

function setUp(answer: Many, overrides: Partial<Network> = {}, state: Partial<StateReads> = {}): Setup {
  const together: (string | null)[][] = [];
  const alone: string[] = [];
  const deadlines: number[] = [];
  const observed: string[] = [];
  const chain = createFakeChain({
    execution: {
      async call(request, scope) {
        alone.push(dataOf(request));
        deadlines.push(scope.deadline);
        scope.hasCalledNode = true;
        return '"0xa1"';
      },
      callMany(requests, scope) {
        together.push(requests.map((request) => (request === undefined ? null : dataOf(request))));
        deadlines.push(scope.deadline);
        return answer(requests, scope);
      },
    },
    state,
  });
  const network = createScriptedNetwork(chain, { hasNodes: true, ...overrides });
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
    observer: {
      onCall: (_network, method, outcome, source, _ms, _caller, credits) =>
        void observed.push(`${method} ${outcome} ${source} ${credits}`),
      onSurcharge: () => {},
      onBatch: () => {},
      onBrokenStream: () => {},
      onLimited: () => {},
    },
  });
  return {
    together,
    alone,
    deadlines,
    observed,
    async send(body, principal = { id: 'p', name: 'p' }) {
      const scope = new RequestScope(performance.now() + 60_000);
      const sent = Buffer.from(JSON.stringify(body));
      const { body: text } = await gateway.handle(sent, { network, principal }, scope);
      return JSON.parse(await readText(text));
    },
  };
}

const call = (data: string, id: unknown = data): object => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [{ to: `0x${'ab'.repeat(20)}`, data }, 'latest'],
});
const result = (id: unknown, value: string): object => ({ jsonrpc: '2.0', id, result: value });

test('calls that a chain coalesces are one request, and all answers are in the order of the items', async () => {
  const { send, together, alone, observed } = setUp(async (requests) =>
    requests.map((request) => {
      if (request === undefined || dataOf(request) === '0x02') return undefined;
      if (dataOf(request) === '0x03')
        return requested(new ChainError('reverted', 'execution reverted', '0x'));
      return { answer: `"${dataOf(request)}ff"`, isRequested: dataOf(request) !== '0x04' };
    }),
  );
  const answers = await send([
    call('0x01'),
    { jsonrpc: '2.0', id: 'chain', method: 'eth_chainId', params: [] },
    call('0x02'),
    { ...call('0x05'), id: undefined },
    call('nonsense'),
    call('0x03'),
    'no request',
    call('0x04'),
  ]);
  const [first, chain, second, invalid, reverted, malformed, last] = answers as {
    error?: { code: number };
  }[];
  assert.deepEqual(
    [first, chain, second, last],
    [result('0x01', '0x01ff'), result('chain', '0x539'), result('0x02', '0xa1'), result('0x04', '0x04ff')],
  );
  assert.deepEqual(
    [invalid?.error?.code, reverted?.error?.code, malformed?.error?.code],
    [-32602, 3, -32600],
  );
  assert.deepEqual(together, [['0x01', '0x02', null, '0x03', '0x04']]);
  assert.deepEqual(alone.sort(), ['0x02', '0x05']);
  assert.deepEqual(observed.toSorted(), [
    'eth_call executionReverted upstream 80',
    'eth_call invalidParams local 80',
    'eth_call ok cache 80',
    'eth_call ok upstream 80',
    'eth_call ok upstream 80',
    'eth_call ok upstream 80',
    'eth_chainId ok local 5',
    'unknown invalidRequest local 80',
  ]);
});

test('cached answers need no wait, and calls of a chain that cannot coalesce are made individually', async () => {
  const atOnce = setUp((requests) => requests.map(() => ({ answer: '"0x1"', isRequested: false })));
  assert.deepEqual(await atOnce.send([call('0x01'), call('0x02')]), [
    result('0x01', '0x1'),
    result('0x02', '0x1'),
  ]);
  assert.deepEqual(atOnce.alone, []);
  const cannot = setUp(() => undefined);
  assert.deepEqual(await cannot.send([call('0x01'), call('0x02')]), [
    result('0x01', '0xa1'),
    result('0x02', '0xa1'),
  ]);
  const embedded = setUp(() => undefined, { hasNodes: false });
  await embedded.send([call('0x01'), call('0x02')]);
  assert.deepEqual([embedded.together, embedded.alone], [[], ['0x01', '0x02']]);
});

test('a call that the key is not allowed to make is not sent', async () => {
  const { send, together, observed } = setUp(async (requests) => requests.map(() => requested('"0x1"')));
  const terms = { rate: undefined, dailyCredits: undefined, secretHash: undefined, jwt: undefined };
  const addresses = [`0x${'cd'.repeat(20)}`];
  const principal = { id: 'p', name: 'p', terms: { ...terms, rules: KeyRules.of({ addresses }) } };
  const allowed = { ...call('0x01'), params: [{ to: addresses[0], data: '0x01' }, 'latest'] };
  const answers = (await send([call('0x02'), allowed], principal)) as { error?: { code: number } }[];
  assert.deepEqual([answers[0]?.error?.code, answers[1]], [-32002, result('0x01', '0x1')]);
  assert.deepEqual(together, [['0x01']]);
  assert.deepEqual(observed.toSorted(), ['eth_call ok upstream 80', 'eth_call rejected local 0']);
});

test('a large batch is sent in parts of the batch concurrency, and releases its slots', async () => {
  const slots = new FairQueue({ running: 1_000, waiting: 0, waitMs: 1_000 });
  let mostRunning = 0;
  const { send, together } = setUp(
    async (requests) => {
      mostRunning = Math.max(mostRunning, slots.running);
      return requests.map(() => requested('"0x1"'));
    },
    { slots },
  );
  const bodies = Array.from({ length: 300 }, (_, i) => call(`0x${i.toString(16).padStart(4, '0')}`, i));
  assert.deepEqual(
    await send(bodies),
    bodies.map((_, i) => result(i, '0x1')),
  );
  assert.deepEqual(
    together.map(({ length }) => length),
    [128, 128, 44],
  );
  assert.deepEqual([mostRunning, slots.running], [128, 0]);
});

test('without room for all calls of a key in time, coalesced calls are sent in parts of the default concurrency', async () => {
  const slots = new FairQueue({ running: 20, waiting: 0, waitMs: 1_000 });
  slots.take('p', 4);
  let mostRunning = 0;
  const { send, together, alone } = setUp(
    async (requests) => {
      await new Promise((resolve) => setImmediate(resolve));
      mostRunning = Math.max(mostRunning, slots.running);
      return requests.map(() => requested('"0x1"'));
    },
    { slots },
  );
  const bodies = Array.from({ length: 40 }, (_, i) => call(`0x${i.toString(16).padStart(4, '0')}`, i));
  assert.deepEqual(
    await send(bodies),
    bodies.map((_, i) => result(i, '0x1')),
  );
  assert.deepEqual(
    together.map(({ length }) => length),
    [16, 16, 8],
  );
  assert.deepEqual([alone, mostRunning, slots.running], [[], 20, 4]);
});

test('calls behind items that have used up the slots of their batch reserve their own slots', async () => {
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const notifications = Array.from({ length: 128 }, () => ({ ...call('0x05'), id: undefined }));
  const calls = Array.from({ length: 64 }, (_, i) => call(`0x${i.toString(16).padStart(4, '0')}`, i));
  const slots = new FairQueue({ running: 1_000, waiting: 0, waitMs: 1_000 });
  let running = 0;
  const { send, together, alone } = setUp(
    async (requests) => {
      await later();
      running = slots.running;
      return requests.map(() => requested('"0xa1"'));
    },
    { slots },
  );
  assert.deepEqual(
    await send([...notifications, ...calls]),
    calls.map((_, i) => result(i, '0xa1')),
  );
  assert.deepEqual([together.length, alone.length], [1, 128]);
  assert.deepEqual([running, slots.running], [64, 0]);
});

test('neither other items nor later calls wait for coalesced calls', async () => {
  let answerFirst = (): void => {};
  const first = new Promise<void>((resolve) => {
    answerFirst = resolve;
  });
  const { send, together } = setUp(
    async (requests) => {
      if (dataOf(requests[0] as CallRequest) === '0x01') await first;
      return requests.map(() => requested('"0x1"'));
    },
    {},
    {
      async getBalance() {
        answerFirst();
        return '"0x5"';
      },
    },
  );
  const others = Array.from({ length: 150 }, () => ({ jsonrpc: '2.0', method: 'eth_chainId', params: [] }));
  const balance = {
    jsonrpc: '2.0',
    id: 5,
    method: 'eth_getBalance',
    params: [`0x${'ab'.repeat(20)}`, 'latest'],
  };
  const answers = await send([call('0x01'), call('0x02'), ...others, call('0x03'), call('0x04'), balance]);
  assert.deepEqual(answers, [
    ...['0x01', '0x02', '0x03', '0x04'].map((id) => result(id, '0x1')),
    result(5, '0x5'),
  ]);
  assert.deepEqual(together, [
    ['0x01', '0x02'],
    ['0x03', '0x04'],
  ]);
});

test('a call that is repeated individually has the deadline of the coalesced call, and its slot', async () => {
  const slots = new FairQueue({ running: 2, waiting: 0, waitMs: 1_000 });
  const { send, alone, deadlines } = setUp(
    async (requests) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return requests.map(() => undefined);
    },
    { slots },
  );
  assert.deepEqual(await send([call('0x01'), call('0x02')]), [
    result('0x01', '0xa1'),
    result('0x02', '0xa1'),
  ]);
  assert.deepEqual(alone, ['0x01', '0x02']);
  assert.deepEqual(deadlines.slice(1), [deadlines[0], deadlines[0]]);
  assert.equal(slots.running, 0);
});

test('calls of a chain that ignores the deadline are made individually', async () => {
  const { send, alone } = setUp(() => new Promise(() => {}), { callTimeoutMs: 1 });
  assert.deepEqual(await send([call('0x01'), call('0x02')]), [
    result('0x01', '0xa1'),
    result('0x02', '0xa1'),
  ]);
  assert.deepEqual(alone, ['0x01', '0x02']);
});

test('a fault of the chain is one error for the whole batch', async () => {
  const { send } = setUp(async () => {
    throw new TypeError('a fault');
  });
  const answer = (await send([call('0x01'), call('0x02')])) as { error?: { code: number } };
  assert.equal(answer.error?.code, -32603);
});

/** Answers all calls of a batch coalesced. @returns the batch's answers, and the number of its errors encoded in each turn of the event loop */
async function countEncoded(data: string, count: number): Promise<{ answers: unknown[]; slots: number[] }> {
  const slots: number[] = [];
  let turn = 0;
  let isOver = false;
  const tick = (): void => {
    turn++;
    if (!isOver) setImmediate(tick);
  };
  const encode = JSON.stringify;
  const { send } = setUp(async (requests) => {
    setImmediate(tick);
    return requests.map(() => requested(new ChainError('reverted', 'execution reverted', data)));
  });
  JSON.stringify = ((value: unknown, ...rest: []) => {
    if (typeof value === 'string' && value.startsWith('0x')) slots[turn] = (slots[turn] ?? 0) + 1;
    return encode(value, ...rest);
  }) as typeof JSON.stringify;
  try {
    const calls = Array.from({ length: count }, (_, i) => call(`0x${i.toString(16).padStart(4, '0')}`, i));
    return { answers: (await send(calls)) as unknown[], slots };
  } finally {
    isOver = true;
    JSON.stringify = encode;
  }
}

test('long errors of coalesced calls are encoded in several turns of the event loop, short ones in one', async () => {
  const long = `0x${'ab'.repeat(30_000)}`;
  const { answers, slots } = await countEncoded(long, 40);
  assert.deepEqual(
    answers,
    Array.from({ length: 40 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      error: { code: 3, message: 'execution reverted', data: long },
    })),
  );
  assert.equal(
    slots.reduce((sum, encoded) => sum + encoded, 0),
    40,
  );
  assert.ok(Math.max(...slots.filter((encoded) => encoded !== undefined)) < 20, `${slots}`);
  const short = await countEncoded(`0x${'ab'.repeat(50)}`, 40);
  assert.equal(short.slots.filter((encoded) => encoded !== undefined).length, 1);
});
