/** Interceptors around single calls, items of batches, and calls that run as a group. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComplete } from '../../packages/ethereum/primitives/json-result.ts';
import type { Executions } from '../../src/chain/chain.ts';
import { composeGateway, type GatewayLimits } from '../../src/gateway/gateway.ts';
import type { InterceptedCall, Interceptor } from '../../src/gateway/intercepted-call.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';

const call = (id: number, method = 'eth_call'): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params: method === 'eth_call' ? [{ to: `0x${'ab'.repeat(20)}`, data: `0x${id}0` }, 'latest'] : [],
});

type Counts = { before: string[]; after: string[] };

/** Records the calls that it gets. */
function createCounter(counts: Counts): Interceptor {
  const nameCall = ({ method, network, keyId, isNotification }: InterceptedCall): string =>
    [method, network, keyId, ...(isNotification ? ['notification'] : [])].join(' ');
  return {
    before: (each) => void counts.before.push(nameCall(each)) as undefined,
    after: (each) => void counts.after.push(nameCall(each)),
  };
}

type Setup = {
  readonly grouped: number[];
  readonly observed: string[];
  readonly lines: readonly string[];
  send(body: unknown): Promise<unknown>;
};

function setUp(
  interceptors: readonly Interceptor[],
  network: Partial<Network> = { hasNodes: true },
  limits: Partial<GatewayLimits> = {},
): Setup {
  const grouped: number[] = [];
  const observed: string[] = [];
  const execution: Partial<Executions> = {
    call: async () => '"0xa1"',
    async callMany(requests) {
      grouped.push(requests.length);
      return requests.map(() => ({ answer: '"0xb2"', isRequested: true }));
    },
  };
  const log = createRecordingLog();
  const gateway = composeGateway({
    networks: new NetworkRegistry([]),
    access: openTo(() => undefined),
    clientVersion: 'Portcullis/1.2.3',
    log,
    limits,
    interceptors,
    observer: {
      onCall: (_network, method, outcome, _source, _ms, _caller, credits) =>
        void observed.push(`${method} ${outcome} ${credits}`),
      onSurcharge: () => {},
      onBatch: () => {},
      onBrokenStream: () => {},
      onLimited: () => {},
    },
  });
  const session = {
    network: createScriptedNetwork(createFakeChain({ chainId: 1n, execution }), network),
    principal: { id: 'p', name: 'p' },
  };
  return {
    grouped,
    observed,
    lines: log.lines,
    async send(body) {
      const scope = new RequestScope(performance.now() + 60_000);
      const { body: text } = await gateway.handle(Buffer.from(JSON.stringify(body)), session, scope);
      if (text === '') return undefined;
      if (isComplete(text)) return JSON.parse(typeof text === 'string' ? text : text.text);
      const pieces: Uint8Array[] = [];
      for await (const piece of text.pieces) pieces.push(piece);
      return JSON.parse(Buffer.concat(pieces).toString());
    },
  };
}

/** Ways in which calls reach a chain; `calls` are those of the body, `groups` the sizes of the groups among them. */
const WAYS = [
  { name: 'a single call', body: call(1), calls: ['eth_call'], groups: [] },
  {
    name: 'a notification',
    body: { ...call(1), id: undefined },
    calls: ['eth_call notification'],
    groups: [],
  },
  {
    name: 'a batch on a network of nodes',
    body: [call(1), call(2, 'eth_chainId'), call(3), { ...call(4), id: undefined }],
    calls: ['eth_call', 'eth_call', 'eth_call notification', 'eth_chainId'],
    groups: [2],
  },
  {
    name: 'a batch on an embedded chain',
    body: [call(1), call(2, 'eth_chainId'), call(3)],
    network: { hasNodes: false },
    calls: ['eth_call', 'eth_call', 'eth_chainId'],
    groups: [],
  },
  {
    name: 'a batch whose calls wait for slots',
    body: [call(1), call(2), call(3)],
    network: { hasNodes: true, slots: new FairQueue({ running: 1, waiting: 10, waitMs: 60_000 }) },
    calls: ['eth_call', 'eth_call', 'eth_call'],
    groups: [],
  },
] as const;

for (const { name, body, calls, groups, ...rest } of WAYS) {
  const network: Partial<Network> | undefined = 'network' in rest ? rest.network : undefined;
  const expected = calls.map((each) => each.replace(/^(\S+)/, '$1 scripted p')).sort();

  test(`${name}: each call passes each interceptor once`, async () => {
    const [outer, inner]: Counts[] = [
      { before: [], after: [] },
      { before: [], after: [] },
    ];
    const { send, grouped } = setUp(
      [outer, inner].map((counts) => createCounter(counts as Counts)),
      network,
    );
    await send(body);
    for (const counts of [outer, inner])
      assert.deepEqual([counts?.before.sort(), counts?.after.sort()], [expected, expected]);
    assert.deepEqual(grouped, groups);
  });

  test(`${name}: a refused call is not run, costs nothing, and ends only for the outer interceptors`, async () => {
    for (const isLater of [false, true]) {
      const counts: Counts = { before: [], after: [] };
      const unreached: Counts = { before: [], after: [] };
      const refuse: Interceptor = {
        before: () => (isLater ? Promise.resolve({ message: 'no', code: -5 }) : { message: 'no', code: -5 }),
        after: () => assert.fail('a refused call has no end'),
      };
      const { send, grouped, observed } = setUp(
        [createCounter(counts), refuse, createCounter(unreached)],
        network,
      );
      const answers = [await send(body)].flat().filter((answer) => answer !== undefined);
      for (const answer of answers)
        assert.deepEqual((answer as { error?: unknown }).error, { code: -5, message: 'no' });
      assert.equal(answers.length, calls.filter((each) => !each.includes('notification')).length);
      assert.deepEqual([counts.before.sort(), counts.after.sort()], [expected, expected]);
      assert.deepEqual(unreached, { before: [], after: [] });
      assert.deepEqual(grouped, []);
      assert.deepEqual(
        observed.map((line) => line.replace(/^\S+ /, '')),
        calls.map(() => 'intercepted 0'),
      );
    }
  });

  test(`${name}: an interceptor that throws fails only its call, and is logged without its message`, async () => {
    const fail = (): never => {
      throw new Error('with a secret');
    };
    for (const before of [fail, () => Promise.reject(new Error('with a secret'))]) {
      const { send, lines } = setUp([{ before }], network);
      for (const answer of [await send(body)].flat().filter((each) => each !== undefined))
        assert.equal((answer as { error?: { code: number } }).error?.code, -32603);
      assert.equal(lines.length, calls.length);
      assert.ok(!lines.join().includes('secret'));
    }
    const { send, lines } = setUp([{ after: fail }], network);
    for (const answer of [await send(body)].flat().filter((each) => each !== undefined))
      assert.ok('result' in (answer as object));
    assert.equal(lines.length, calls.length);
  });
}

test('items that are not run because the answer is full also end for interceptors', async () => {
  const counts: Counts = { before: [], after: [] };
  const { send } = setUp(
    [createCounter(counts)],
    { hasNodes: true },
    { batchAnswerBytes: 100, batchConcurrency: 2 },
  );
  const answers = (await send(Array.from({ length: 40 }, (_, id) => call(10 + id)))) as object[];
  assert.ok(answers.some((answer) => 'error' in answer));
  assert.ok(counts.before.length > 2);
  assert.deepEqual(counts.after, counts.before);
});
