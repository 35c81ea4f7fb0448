import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import type { FaultKind, UpstreamFault } from '../../../src/pool/fault.ts';
import type { NodeCall, NodeReply } from '../../../src/pool/node-call.ts';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import type {
  OnComplete,
  SendOptions,
  Transport,
  TransportLimits,
} from '../../../src/pool/transport/transport.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { faultOf, LIMITS, type Node, rawAnswer, serveHttp, serveRaw } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

type Item = { readonly id: number; readonly method: string };
/** Items of a batch, or a single call. */
type Request = readonly Item[] | Item;
type Script = (items: readonly Item[], response: ServerResponse) => string | undefined;

const answerOne = ({ id, method }: Item): string => `{"jsonrpc":"2.0","id":${id},"result":"${method}"}`;
const answerAll: Script = (items) => `[${items.map(answerOne)}]`;
const fail = (id: number | null, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;
const named = (name: string): unknown => ({ kind: 'result', result: `"${name}"` });

/** A node that answers batches by the script (undefined is no answer), and every single call. */
async function reach(
  script: Script,
  limits: Partial<TransportLimits> = {},
): Promise<{ readonly transport: Transport; readonly node: Node; readonly requests: Request[] }> {
  const requests: Request[] = [];
  const node = await serveHttp((response, { body }) => {
    const request = JSON.parse(body) as Request;
    requests.push(request);
    if (!('length' in request)) return response.end(answerOne(request));
    const answer = script(request, response);
    return answer === undefined ? undefined : response.end(answer);
  });
  const transport = createHttpTransport(node.endpoint, { ...LIMITS, inFlight: 256, ...limits });
  open.push(node, transport);
  return { transport, node, requests };
}

const sizes = (requests: readonly Request[]): number[] =>
  requests.map((request) => ('length' in request ? request.length : 0));

const soon = (): number => performance.now() + 50_000;
const BATCH = {};

/** Sends items of one client's batch in one turn of the event loop. */
type SendItems = (
  transport: Transport,
  names: readonly string[],
  options?: Partial<SendOptions>,
) => Promise<unknown>[];

const nameCall = (method: string): NodeCall => ({ method, params: '[]', isSmall: method !== 'logs' });

const sendEach: SendItems = (transport, names, options) =>
  names.map((name) => transport.send(nameCall(name), { deadline: soon(), batch: BATCH, ...options }));

const sendTogether: SendItems = (transport, names, options) => {
  const settles: OnComplete<NodeReply>[] = [];
  const replies = names.map(
    (_, position) =>
      new Promise((resolve, reject) => {
        settles[position] = { resolve, reject };
      }),
  );
  transport.sendMany?.(
    names.map(nameCall),
    { deadline: soon(), batch: BATCH, ...options },
    {
      resolve: (position, reply) => settles[position]?.resolve(reply),
      reject: (position, fault) => settles[position]?.reject(fault),
    },
  );
  return replies;
};

const WAYS: readonly (readonly [string, SendItems])[] = [
  ['each', sendEach],
  ['together', sendTogether],
];

function allFail(calls: readonly Promise<unknown>[], kind: FaultKind): Promise<UpstreamFault[]> {
  return Promise.all(calls.map((call) => faultOf(call, kind)));
}

const NAMES = ['a', 'b', 'c', 'd'];
const ALL = NAMES.map(named);

for (const [way, sendItems] of WAYS) {
  describe(`items of one batch (${way})`, () => {
    test('a hundred items are one request', async () => {
      const { transport, requests } = await reach(answerAll);
      const names = Array.from({ length: 100 }, (_, i) => `m${i}`);
      assert.deepEqual(await Promise.all(sendItems(transport, names)), names.map(named));
      assert.deepEqual(sizes(requests), [100]);
    });

    test('more items than the configured maximum are several requests of similar size', async () => {
      const { transport, requests } = await reach(answerAll, { batch: { items: 4, callers: 'never' } });
      const names = Array.from({ length: 9 }, (_, i) => `m${i}`);
      assert.deepEqual(await Promise.all(sendItems(transport, names)), names.map(named));
      assert.deepEqual(sizes(requests).sort(), [3, 3, 3]);
    });

    test('an item of every sixteenth batch is sent separately to measure its duration', async () => {
      const { transport, requests } = await reach(answerAll);
      for (let batch = 0; batch < 8; batch++)
        assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.deepEqual(sizes(requests).sort(), [0, 3, 4, 4, 4, 4, 4, 4, 4]);
    });

    test('a single item is not a batch, and no batches are sent if they are switched off', async () => {
      const { transport, requests } = await reach(answerAll);
      await Promise.all(sendItems(transport, ['a']));
      const off = await reach(answerAll, { batch: { items: 1, callers: 'always' } });
      await Promise.all(sendItems(off.transport, NAMES));
      assert.deepEqual([...sizes(requests), ...sizes(off.requests)], [0, 0, 0, 0, 0]);
    });

    test('calls with potentially large answers or large parameters are sent separately', async () => {
      const { transport, requests } = await reach(answerAll);
      const large = { method: 'e', params: JSON.stringify(['x'.repeat(5_000)]), isSmall: true };
      const replies = [
        ...sendItems(transport, NAMES),
        ...sendItems(transport, ['logs']),
        transport.send(large, { deadline: soon(), batch: BATCH }),
      ];
      assert.deepEqual(await Promise.all(replies), [...ALL, named('logs'), named('e')]);
      assert.deepEqual(sizes(requests).sort(), [0, 0, 4]);
    });

    test('items of another batch or another turn are in another request', async () => {
      const { transport, requests } = await reach(answerAll);
      const first = [...sendItems(transport, NAMES), ...sendItems(transport, NAMES, { batch: {} })];
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...first, ...sendItems(transport, NAMES)]);
      assert.deepEqual(sizes(requests), [4, 4, 4]);
    });

    test('the request has the trace context of the first item', async () => {
      const parents: unknown[] = [];
      const { transport } = await reach((items, response) => {
        parents.push(response.req.headers['traceparent']);
        return answerAll(items, response);
      });
      await Promise.all(sendItems(transport, NAMES, { traceParent: '00-a-b-01' }));
      assert.deepEqual(parents, ['00-a-b-01']);
    });

    test('each item counts against the bound on calls in flight', async () => {
      const { transport } = await reach(answerAll, { inFlight: 3 });
      const calls = sendItems(transport, NAMES);
      await faultOf(calls[3] as Promise<unknown>, 'rateLimited');
      assert.deepEqual(await Promise.all(calls.slice(0, 3)), ALL.slice(0, 3));
      assert.deepEqual(await Promise.all(sendItems(transport, ['x', 'y', 'z'])), ['x', 'y', 'z'].map(named));
    });
  });

  describe(`outcome of each item (${way})`, () => {
    test('is its own result or error, in any order of the responses', async () => {
      const { transport } = await reach((items) => {
        const [a, b, c, d] = items as [Item, Item, Item, Item];
        return `[${answerOne(d)},${fail(c.id, 3, 'execution reverted: ERC1155: batch of tokens')}, ${answerOne(a)} ,{"result":{"x":1},"id":${b.id}}]`;
      });
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), [
        named('a'),
        { kind: 'result', result: '{"x":1}' },
        {
          kind: 'error',
          error: { code: 3, message: 'execution reverted: ERC1155: batch of tokens', data: undefined },
        },
        named('d'),
      ]);
    });

    test('is a timeout at its own deadline', async () => {
      let release: (() => void) | undefined;
      const { transport } = await reach((items, response) => {
        release = () => response.end(answerAll(items, response));
        return undefined;
      });
      const [hasty] = sendItems(transport, ['hasty'], { deadline: performance.now() + 30 });
      const patient = sendItems(transport, NAMES);
      await faultOf(hasty as Promise<unknown>, 'timeout');
      await waitUntil(() => release !== undefined);
      release?.();
      assert.deepEqual(await Promise.all(patient), ALL);
    });

    test('is aborted by its own signal; the request is cancelled when no item is awaited any more', async () => {
      let closed = 0;
      const reserved: (() => void)[] = [];
      const { transport, requests } = await reach((items, response) => {
        response.on('close', () => {
          if (!response.writableEnded) closed++;
        });
        reserved.push(() => response.end(answerAll(items, response)));
        return undefined;
      });
      const one = new CancelSource();
      const others = new CancelSource();
      const first = sendItems(transport, ['a'], { signal: one });
      const rest = sendItems(transport, ['b', 'c'], { signal: others });
      await waitUntil(() => reserved.length === 1);
      one.abort();
      await faultOf(first[0] as Promise<unknown>, 'aborted');
      reserved[0]?.();
      assert.deepEqual(await Promise.all(rest), [named('b'), named('c')]);
      assert.equal(closed, 0);

      const all = new CancelSource();
      const doomed = sendItems(transport, NAMES, { signal: all });
      await waitUntil(() => reserved.length === 2);
      all.abort();
      await allFail(doomed, 'aborted');
      await waitUntil(() => closed === 1);
      assert.deepEqual(sizes(requests), [3, 4]);
    });

    test('is aborted within the turn without being sent, and frees its place', async () => {
      const { transport, requests } = await reach(answerAll, { inFlight: 4 });
      const source = new CancelSource();
      const [gone] = sendItems(transport, ['gone'], { signal: source });
      const rest = sendItems(transport, ['a', 'b', 'c']);
      source.abort();
      await faultOf(gone as Promise<unknown>, 'aborted');
      assert.deepEqual(await Promise.all(rest), ['a', 'b', 'c'].map(named));
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.deepEqual(sizes(requests), [3, 4]);
    });

    test('is a fault if the connection breaks for the batch and for a single item, and if the transport closes', async () => {
      const sizesSeen: number[] = [];
      const node = await serveHttp((response, { body }) => {
        sizesSeen.push([JSON.parse(body)].flat().length);
        response.destroy();
      });
      const transport = createHttpTransport(node.endpoint, LIMITS);
      open.push(node, transport);
      const faults = await allFail(sendItems(transport, NAMES), 'unreachable');
      assert.equal(new Set(faults).size, 1);
      // Each request whose connection breaks without an answer is sent twice.
      assert.deepEqual(sizesSeen, [4, 4, 1, 1]);
      const silent = await reach(() => undefined);
      const calls = sendItems(silent.transport, NAMES);
      await waitUntil(() => silent.requests.length === 1);
      await Promise.all([allFail(calls, 'unreachable'), silent.transport.close()]);
    });

    test('is a result if the batch is sent again after a closed idle connection', async () => {
      const bodies: string[] = [];
      const node = await serveRaw((socket, _id, connection, count, request) => {
        const body = request.slice(request.indexOf('\r\n\r\n') + 4);
        bodies.push(body);
        if (connection === 0 && count === 1) return socket.destroy();
        const items = [JSON.parse(body)].flat() as Item[];
        return socket.write(rawAnswer(`[${items.map(answerOne)}]`));
      });
      const transport = createHttpTransport(node.endpoint, { ...LIMITS, connections: 1 });
      open.push(node, transport);
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.equal(bodies.length, 3);
      assert.equal(bodies[1], bodies[2]);
    });

    test('is one shared fault if the node refuses the batch and a single item by status', async () => {
      const refusals: readonly [FaultKind, (response: ServerResponse) => void][] = [
        ['rateLimited', (response) => response.writeHead(429, { 'retry-after': '7' }).end()],
        ['rateLimited', (response) => response.writeHead(503, { 'retry-after': '7' }).end()],
        ['unauthorized', (response) => response.writeHead(403).end()],
      ];
      for (const [kind, refuse] of refusals) {
        const seen: number[] = [];
        const node = await serveHttp((response, { body }) => {
          seen.push([JSON.parse(body)].flat().length);
          refuse(response);
        });
        const transport = createHttpTransport(node.endpoint, LIMITS);
        open.push(node, transport);
        const faults = await allFail(sendItems(transport, NAMES), kind);
        assert.equal(new Set(faults).size, 1);
        if (kind === 'rateLimited') assert.equal(faults[0]?.retryAfterMs, 7_000);
        assert.deepEqual(seen, [4, 1]);
        // The failures do not count against batches.
        await allFail(sendItems(transport, NAMES), kind);
        assert.deepEqual(seen, [4, 1, 4, 1]);
      }
    });

    test('is one shared error if the node refuses by rate limit in words, for the batch or for each item', async () => {
      const words = 'daily request count exceeded, request rate limited';
      for (const isForEach of [true, false]) {
        const seen: number[] = [];
        const node = await serveHttp((response, { body }) => {
          const items = [JSON.parse(body)].flat() as Item[];
          seen.push(items.length);
          const list = `[${items.map(({ id }) => fail(id, -32005, words))}]`;
          if (items.length === 1) response.end(list.slice(1, -1));
          else response.end(isForEach ? list : fail(null, -32005, words));
        });
        const transport = createHttpTransport(node.endpoint, LIMITS);
        open.push(node, transport);
        const replies = await Promise.all(sendItems(transport, NAMES));
        const error = { code: -32005, message: words, data: undefined };
        assert.deepEqual(replies, new Array(4).fill({ kind: 'error', error }));
        assert.deepEqual(seen, [4, 1]);
      }
    });
  });

  describe(`failures of a batch whose items are then sent separately (${way})`, () => {
    const cases: readonly [string, Script, number][] = [
      ['a list that lacks one', (items, response) => answerAll(items.slice(1), response), 1],
      [
        'a list that has one twice',
        (items, response) => answerAll([...items.slice(0, 1), ...items.slice(0, 3)], response),
        2,
      ],
      [
        'an answer to another call',
        (items, response) => answerAll([...items.slice(1), { id: 99, method: 'x' }], response),
        4,
      ],
      ['no JSON', () => '<html>', 4],
      ['a list that ends early', (items, response) => answerAll(items, response)?.slice(0, -1), 4],
      ['the answer to its first call only', ([first]) => answerOne(first as Item), 4],
      [
        'geth’s words for too many',
        ([first]) => `[${fail((first as Item).id, -32600, 'batch too large')}]`,
        4,
      ],
      ['a lone error', () => fail(null, -32600, 'batch requests are not supported'), 4],
      [
        'geth’s words for too long',
        ([first, ...rest]) =>
          `[${answerOne(first as Item)},${rest.map(({ id }) => fail(id, -32003, 'response too large'))}]`,
        3,
      ],
      [
        'an error that names one call, and no other answer',
        ([first]) => `[${fail((first as Item).id, 3, 'execution reverted')}]`,
        3,
      ],
      [
        'a status',
        (_items, response) => {
          response.statusCode = 413;
          return 'Request Entity Too Large';
        },
        4,
      ],
      [
        'a status with an error',
        (_items, response) => {
          response.statusCode = 400;
          return fail(null, -32600, 'invalid request');
        },
        4,
      ],
      [
        'more bytes than the answer to a batch may have',
        (items) => `[${items.map((item) => answerOne({ ...item, method: 'x'.repeat(10_000) }))}]`,
        4,
      ],
    ];
    for (const [name, script, alone] of cases) {
      test(name, async () => {
        // Small, so that also a busy machine reads the excess before the batch times out.
        const { transport, requests } = await reach(script, { streamBytes: 32 * 1024 });
        const replies = await Promise.all(sendItems(transport, NAMES));
        const expected = name.startsWith('an error that names')
          ? [
              { kind: 'error', error: { code: 3, message: 'execution reverted', data: undefined } },
              ...ALL.slice(1),
            ]
          : ALL;
        assert.deepEqual(replies, expected);
        assert.equal(sizes(requests).filter((size) => size === 0).length, alone);
        // The failure is remembered: no batch of the same size is sent.
        await Promise.all(sendItems(transport, NAMES));
        assert.ok(!sizes(requests.slice(1)).includes(4), `${sizes(requests)}`);
      });
    }

    test('a broken connection: all items are sent separately once one is answered, and then half as many are tried', async () => {
      const { transport, requests } = await reach((items, response) => {
        if (items.length <= 2) return answerAll(items, response);
        response.write('[');
        setImmediate(() => response.destroy());
        return undefined;
      });
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.deepEqual(sizes(requests), [4, 0, 0, 0, 0]);
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      assert.deepEqual(sizes(requests.slice(5)), [2, 2]);
    });

    test('a rate limit for batches only: half as many items are tried next, then none are coalesced', async () => {
      const scripts: readonly Script[] = [
        (_items, response) => {
          response.writeHead(429, { 'retry-after': '7' });
          return '';
        },
        (_items, response) => {
          response.writeHead(403);
          return '';
        },
        () => fail(null, -32005, 'too many requests'),
        (items) => `[${items.map(({ id }) => fail(id, -32005, 'request rate limited'))}]`,
      ];
      for (const script of scripts) {
        const { transport, requests } = await reach(script);
        assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
        assert.deepEqual(sizes(requests), [4, 0, 0, 0, 0]);
        assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
        assert.deepEqual(sizes(requests.slice(5)).sort(), [0, 0, 0, 0, 2, 2]);
        assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
        assert.deepEqual(sizes(requests.slice(11)), [0, 0, 0, 0]);
      }
    });

    test('a rate limit for some items is not a refusal of the batch', async () => {
      const { transport, requests } = await reach(
        ([first, ...rest]) =>
          `[${answerOne(first as Item)},${rest.map(({ id }) => fail(id, -32005, 'request rate limited'))}]`,
      );
      const replies = (await Promise.all(sendItems(transport, NAMES))) as { kind: string }[];
      assert.deepEqual(
        replies.map(({ kind }) => kind),
        ['result', 'error', 'error', 'error'],
      );
      assert.deepEqual(sizes(requests), [4]);
    });

    test('while one item is sent separately, the others keep their deadlines and aborts', async () => {
      const reserved: ServerResponse[] = [];
      const node = await serveHttp((response, { body }) => {
        if (body.startsWith('[')) response.destroy();
        else reserved.push(response);
      });
      const transport = createHttpTransport(node.endpoint, LIMITS);
      open.push(node, transport);
      const source = new CancelSource();
      const calls = [
        ...sendItems(transport, ['a']),
        ...sendItems(transport, ['b'], { deadline: performance.now() + 200 }),
        ...sendItems(transport, ['c'], { signal: source.signal }),
        ...sendItems(transport, ['d']),
      ];
      // Where the machine stalls, its deadline passes before the other calls are sent.
      const late = faultOf(calls[1] as Promise<unknown>, 'timeout');
      await waitUntil(() => reserved.length === 1);
      source.abort();
      await faultOf(calls[2] as Promise<unknown>, 'aborted');
      await late;
      await Promise.all([
        faultOf(calls[0] as Promise<unknown>, 'unreachable'),
        faultOf(calls[3] as Promise<unknown>, 'unreachable'),
        transport.close(),
      ]);
    });

    test('a revert whose reason reads like a rate limit, in place of the batch, applies to no other item', async () => {
      for (const isList of [true, false]) {
        const { transport, requests } = await reach(([first]) => {
          const revert = fail((first as Item).id, 3, 'execution reverted: request rate limited');
          return isList ? `[${revert}]` : revert;
        });
        const replies = await Promise.all(sendItems(transport, ['eth_call', 'eth_call', 'eth_getBalance']));
        assert.deepEqual(replies.slice(1), ['eth_call', 'eth_getBalance'].map(named));
        assert.equal(sizes(requests)[0], 3);
      }
    });

    test('a failure that single items share does not count against batches', async () => {
      const requests: number[] = [];
      const node = await serveHttp((response, { body }) => {
        requests.push([JSON.parse(body)].flat().length);
        response.writeHead(500).end();
      });
      const transport = createHttpTransport(node.endpoint, LIMITS);
      open.push(node, transport);
      await allFail(sendItems(transport, NAMES), 'httpStatus');
      await allFail(sendItems(transport, NAMES), 'httpStatus');
      assert.deepEqual(requests, [4, 1, 1, 1, 1, 4, 1, 1, 1, 1]);
    });

    test('a batch that takes too long is cancelled, and its items are sent separately', async () => {
      let closed = false;
      const { transport, requests } = await reach((_items, response) => {
        response.on('close', () => {
          closed = true;
        });
        return undefined;
      });
      assert.deepEqual(await Promise.all(sendItems(transport, NAMES)), ALL);
      await waitUntil(() => closed);
      assert.deepEqual(sizes(requests), [4, 0, 0, 0, 0]);
    });
  });
}
