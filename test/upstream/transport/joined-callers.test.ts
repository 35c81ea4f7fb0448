import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { NodeReply } from '../../../src/upstream/node-call.ts';
import { createHttpTransport } from '../../../src/upstream/transport/http-transport.ts';
import type { CallerJoining } from '../../../src/upstream/transport/join-policy.ts';
import type { SendOptions, Settle, Transport } from '../../../src/upstream/transport/transport.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';
import { faultOf, LIMITS, serveHttp } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

type Item = { readonly id: number; readonly method: string };
type SetUp = {
  readonly transport: Transport;
  /** The methods of each batch that the node got, and of each call by itself. */
  readonly requests: (readonly string[] | string)[];
};

const answerOne = ({ id, method }: Item): string => `{"jsonrpc":"2.0","id":${id},"result":"${method}"}`;

async function reach(callers: CallerJoining, items = 100): Promise<SetUp> {
  const requests: (readonly string[] | string)[] = [];
  const node = await serveHttp((response, { body }) => {
    const request = JSON.parse(body) as readonly Item[] | Item;
    if (!('length' in request)) {
      requests.push(request.method);
      return response.end(answerOne(request));
    }
    requests.push(request.map(({ method }) => method));
    return response.end(`[${request.map(answerOne)}]`);
  });
  const transport = createHttpTransport(node.endpoint, {
    ...LIMITS,
    inFlight: 256,
    batch: { items, callers },
  });
  open.push(node, transport);
  return { transport, requests };
}

const soon = (): number => performance.now() + 50_000;
const named = (name: string): NodeReply => ({ kind: 'result', result: `"${name}"` });

/** Each a call by itself. */
const sendApart = (
  { transport }: SetUp,
  names: readonly string[],
  options: Partial<SendOptions> = {},
): Promise<NodeReply>[] =>
  names.map((method) =>
    transport.send({ method, params: '[]', isSmall: true }, { deadline: soon(), ...options }),
  );

/** All as the batch of one client. */
const sendBatch = (
  { transport }: SetUp,
  names: readonly string[],
  options: Partial<SendOptions> = {},
): Promise<NodeReply>[] => {
  const settles: Settle<NodeReply>[] = [];
  const replies = names.map(
    (_, position) =>
      new Promise<NodeReply>((resolve, reject) => {
        settles[position] = { resolve, reject };
      }),
  );
  transport.sendMany?.(
    names.map((method) => ({ method, params: '[]', isSmall: true })),
    { deadline: soon(), batch: {}, ...options },
    {
      resolve: (position, reply) => settles[position]?.resolve(reply),
      reject: (position, fault) => settles[position]?.reject(fault),
    },
  );
  return replies;
};

const list = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

const sizes = ({ requests }: SetUp): readonly number[] =>
  requests.map((request) => (typeof request === 'string' ? 0 : request.length)).sort((a, b) => a - b);

describe('calls of different callers', () => {
  test('share requests of at most 16 where that is asked for; traced ones have their own', async () => {
    const node = await reach('always');
    const names = list('m', 40);
    const replies = [...sendApart(node, names), ...sendApart(node, ['t'], { traceParent: '00-a-b-01' })];
    assert.deepEqual(await Promise.all(replies), [...names, 't'].map(named));
    assert.deepEqual(sizes(node), [0, 13, 13, 14]);
  });

  test('travel alone at first, and where it is switched off', async () => {
    for (const callers of ['auto', 'never'] as const) {
      const node = await reach(callers);
      const names = list('m', 4);
      assert.deepEqual(await Promise.all(sendApart(node, names)), names.map(named));
      assert.deepEqual(sizes(node), [0, 0, 0, 0]);
    }
  });
});

describe('batches of different callers', () => {
  const A = list('a', 3);
  const B = list('b', 3);

  test('share a request with each other and with single calls, where those of different callers do', async () => {
    const node = await reach('always');
    const replies = [...sendBatch(node, A), ...sendApart(node, ['s']), ...sendBatch(node, B)];
    assert.deepEqual(await Promise.all(replies), [...A, 's', ...B].map(named));
    assert.deepEqual(
      node.requests.map((names) => [...names].sort()),
      [[...A, ...B, 's'].sort()],
    );
  });

  test('travel apart at first, and where it is switched off', async () => {
    for (const callers of ['auto', 'never'] as const) {
      const node = await reach(callers);
      const replies = [...sendBatch(node, A), ...sendBatch(node, B)];
      assert.deepEqual(await Promise.all(replies), [...A, ...B].map(named));
      assert.deepEqual([...node.requests].sort(), [A, B]);
    }
  });

  test('stay whole: what does not fit into a request with others is in another', async () => {
    const node = await reach('always', 5);
    const C = list('c', 9);
    const replies = [...sendBatch(node, A), ...sendBatch(node, B), ...sendBatch(node, C)];
    assert.deepEqual(await Promise.all(replies), [...A, ...B, ...C].map(named));
    assert.deepEqual(sizes(node), [3, 3, 4, 5]);
    for (const whole of [A, B]) assert.ok(node.requests.some((names) => String(names) === String(whole)));
  });

  test('have a request of their own where they are traced', async () => {
    const node = await reach('always');
    const batch = {};
    const options = { batch, traceParent: '00-a-b-01' };
    const replies = [...sendApart(node, A, options), ...sendBatch(node, B)];
    assert.deepEqual(await Promise.all(replies), [...A, ...B].map(named));
    assert.deepEqual([...node.requests].sort(), [A, B]);
  });

  test('end each by itself: one that goes before the turn ends is not sent, and one past its deadline leaves the others', async () => {
    const node = await reach('always');
    const source = new CancelSource();
    const gone = sendBatch(node, A, { signal: source.signal });
    const late = sendBatch(node, ['l0', 'l1'], { deadline: performance.now() });
    const replies = sendBatch(node, B);
    // Behind the callback in which they were given, and before the end of the turn.
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    source.abort();
    for (const reply of gone) await faultOf(reply, 'aborted');
    for (const reply of late) await faultOf(reply, 'timeout');
    assert.deepEqual(await Promise.all(replies), B.map(named));
    assert.deepEqual(node.requests, [B]);
    // None holds a place.
    const all = list('m', 256);
    assert.deepEqual(await Promise.all(sendBatch(node, all)), all.map(named));
  });
});
