import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeCall, NodeReply } from '../../../src/pool/node-call.ts';
import { CallCoalescer } from '../../../src/pool/transport/call-coalescer.ts';
import { CallGroup } from '../../../src/pool/transport/call-group.ts';
import type { CallerCoalescing } from '../../../src/pool/transport/coalescing-policy.ts';
import type { RunningRequest } from '../../../src/pool/transport/http-request.ts';
import type { OnComplete, SendOptions } from '../../../src/pool/transport/transport.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';
import { faultOf } from './servers.ts';

type SetUp = {
  readonly coalescer: CallCoalescer;
  /** Methods of each sent batch, and of each separate call. */
  readonly requests: (readonly string[] | string)[];
  /** Number of calls that occupy a place. */
  readonly places: { count: number };
};

const named = (name: string): NodeReply => ({ kind: 'result', result: `"${name}"` });
const EXCHANGE = { isSent: true, fail: () => {} } as unknown as RunningRequest;

/** A coalescer over connections that answer everything, with a stopped clock. */
function reach(callers: CallerCoalescing, items = 100): SetUp {
  const requests: (readonly string[] | string)[] = [];
  const places = { count: 0 };
  const coalescer = new CallCoalescer(
    { items, callers },
    {
      sendAlone({ method }, _options, complete) {
        requests.push(method);
        setImmediate(() => {
          places.count--;
          complete.resolve(named(method));
        });
      },
      sendCoalescedBatch(calls, _options, complete) {
        requests.push(calls.map(({ method }) => method));
        setImmediate(() => {
          places.count -= calls.length;
          complete.resolve({
            replies: calls.map(({ method }) => named(method)),
            bytes: calls.map(() => 0),
            refusal: undefined,
          });
        });
        return EXCHANGE;
      },
      takePlace: () => places.count++,
      releasePlace: () => places.count--,
    },
    () => 0,
  );
  return { coalescer, requests, places };
}

const nameCall = (method: string): NodeCall => ({ method, params: '[]', isSmall: true });
const DEADLINE = 1_000;

/** Sends each call separately. */
const sendApart = (
  { coalescer, requests, places }: SetUp,
  names: readonly string[],
  options: Partial<SendOptions> = {},
): Promise<NodeReply>[] =>
  names.map(
    (method) =>
      new Promise<NodeReply>((resolve, reject) => {
        places.count++;
        if (coalescer.take(nameCall(method), { deadline: DEADLINE, ...options }, { resolve, reject })) return;
        requests.push(method);
        places.count--;
        resolve(named(method));
      }),
  );

/** Sends all calls as the batch of one client. */
const sendBatch = (
  { coalescer, places }: SetUp,
  names: readonly string[],
  options: Partial<SendOptions> = {},
): Promise<NodeReply>[] => {
  const settles: OnComplete<NodeReply>[] = [];
  const batch = {};
  const group = new CallGroup(
    { deadline: DEADLINE, batch, ...options },
    {
      resolve: (position, reply) => settles[position]?.resolve(reply),
      reject: (position, fault) => settles[position]?.reject(fault),
    },
  );
  return names.map(
    (name, position) =>
      new Promise<NodeReply>((resolve, reject) => {
        settles[position] = { resolve, reject };
        places.count++;
        coalescer.takeItem(batch, group.add(nameCall(name), position));
      }),
  );
};

const list = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

const sizes = ({ requests }: SetUp): readonly number[] =>
  requests.map((request) => (typeof request === 'string' ? 0 : request.length)).sort((a, b) => a - b);

describe('calls of different callers', () => {
  test('share requests of at most 16 calls with always; traced calls are sent separately', async () => {
    const node = reach('always');
    const names = list('m', 40);
    const replies = [...sendApart(node, names), ...sendApart(node, ['t'], { traceParent: '00-a-b-01' })];
    assert.deepEqual(await Promise.all(replies), [...names, 't'].map(named));
    assert.deepEqual(sizes(node), [0, 13, 13, 14]);
  });

  test('are sent separately at first, and with never', async () => {
    for (const callers of ['auto', 'never'] as const) {
      const node = reach(callers);
      const names = list('m', 4);
      assert.deepEqual(await Promise.all(sendApart(node, names)), names.map(named));
      assert.deepEqual(sizes(node), [0, 0, 0, 0]);
    }
  });
});

describe('batches of different callers', () => {
  const A = list('a', 3);
  const B = list('b', 3);

  test('share a request with each other and with single calls, if calls of different callers are coalesced', async () => {
    const node = reach('always');
    const replies = [...sendBatch(node, A), ...sendApart(node, ['s']), ...sendBatch(node, B)];
    assert.deepEqual(await Promise.all(replies), [...A, 's', ...B].map(named));
    assert.deepEqual(
      node.requests.map((names) => [...names].sort()),
      [[...A, ...B, 's'].sort()],
    );
  });

  test('are sent separately at first, and with never', async () => {
    for (const callers of ['auto', 'never'] as const) {
      const node = reach(callers);
      const replies = [...sendBatch(node, A), ...sendBatch(node, B)];
      assert.deepEqual(await Promise.all(replies), [...A, ...B].map(named));
      assert.deepEqual([...node.requests].sort(), [A, B]);
    }
  });

  test('stay whole: a batch that does not fit into a request is sent in another', async () => {
    const node = reach('always', 5);
    const C = list('c', 9);
    const replies = [...sendBatch(node, A), ...sendBatch(node, B), ...sendBatch(node, C)];
    assert.deepEqual(await Promise.all(replies), [...A, ...B, ...C].map(named));
    assert.deepEqual(sizes(node), [3, 3, 4, 5]);
    for (const whole of [A, B]) assert.ok(node.requests.some((names) => String(names) === String(whole)));
  });

  test('are sent in separate requests if they are traced', async () => {
    const node = reach('always');
    const batch = {};
    const options = { batch, traceParent: '00-a-b-01' };
    const replies = [...sendApart(node, A, options), ...sendBatch(node, B)];
    assert.deepEqual(await Promise.all(replies), [...A, ...B].map(named));
    assert.deepEqual([...node.requests].sort(), [A, B]);
  });

  test('end independently: a batch cancelled within the turn is not sent, and frees its places', async () => {
    const node = reach('always');
    const source = new CancelSource();
    const gone = sendBatch(node, A, { signal: source });
    const replies = sendBatch(node, B);
    // After the callback that submitted the calls, and before the end of the turn of the event loop.
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    source.abort();
    for (const reply of gone) await faultOf(reply, 'aborted');
    assert.deepEqual(await Promise.all(replies), B.map(named));
    assert.deepEqual(node.requests, [B]);
    assert.equal(node.places.count, 0);
  });

  test('are limited together to a size that a refusal has lowered within the same turn', async () => {
    const node = reach('always');
    const replies = [...sendBatch(node, list('a', 4)), ...sendBatch(node, B)];
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    node.coalescer.noteRefused(4, true);
    assert.deepEqual(await Promise.all(replies), [...list('a', 4), ...B].map(named));
    assert.ok(sizes(node).every((size) => size <= 2));
    assert.equal(node.places.count, 0);
  });
});
