import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import type { WebSocket } from 'ws';
import type { FaultKind } from '../../../src/pool/fault.ts';
import type {
  AnnouncementListener,
  Transport,
  TransportLimits,
} from '../../../src/pool/transport/transport.ts';
import { createWebSocketTransport } from '../../../src/pool/transport/ws-transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { CALL, faultOf, inTime, LIMITS, type Node, serveRaw, serveWebSocket } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

async function reach<N extends Node>(
  starting: Promise<N>,
  limits: Partial<TransportLimits> = {},
  headers: Record<string, string> = {},
): Promise<[Transport, N]> {
  const node = await starting;
  const url = new URL(node.endpoint.url);
  url.protocol = 'ws:';
  const transport = createWebSocketTransport({ url, headers }, { ...LIMITS, ...limits });
  open.push(node, transport);
  return [transport, node];
}

const result = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`;
const failure = (id: number | null): string =>
  `{"jsonrpc":"2.0","error":{"code":3,"message":"execution reverted","data":"0x08"},"id":${id}}`;
const RESULT = { kind: 'result', result: '"0x1"' };
const FAILURE = { kind: 'error', error: { code: 3, message: 'execution reverted', data: '0x08' } };

/** Sends until the transport is connected again. */
async function sendWhenUp(transport: Transport): Promise<unknown> {
  for (;;) {
    const reply = await transport.send(CALL, inTime()).catch(() => undefined);
    if (reply !== undefined) return reply;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('calls share one connection and are matched by their ids', async () => {
  const reserved: [WebSocket, number, string][] = [];
  const [transport, node] = await reach(
    serveWebSocket((socket, { id, method }) => {
      reserved.push([socket, id, method]);
      if (reserved.length < 3) return;
      for (const [to, heldId, name] of reserved.reverse()) to.send(`{"id":${heldId},"result":"${name}"}`);
    }),
  );
  const calls = ['a', 'b', 'c'].map((method) => transport.send({ method, params: '[]' }, inTime()));
  const expected = ['a', 'b', 'c'].map((name) => ({ kind: 'result', result: `"${name}"` }));
  assert.deepEqual(await Promise.all(calls), expected);
  assert.equal(node.connections(), 1);
});

test('headers are sent with the upgrade, and compression is not requested', async () => {
  let head = '';
  const [transport] = await reach(
    serveRaw((socket, _id, _connection, _count, text) => {
      head = text;
      socket.destroy();
    }),
    {},
    { authorization: 'Bearer secret' },
  );
  await faultOf(transport.send(CALL, inTime()), 'unreachable');
  assert.match(head, /^GET \/rpc\/key\?network=1 HTTP/);
  assert.match(head, /\r\nauthorization: Bearer secret\r\n/i);
  assert.doesNotMatch(head, /permessage-deflate/);
});

describe('answers', () => {
  async function answerWith(make: (id: number) => string | Buffer, limits = {}): Promise<unknown> {
    const [transport] = await reach(
      serveWebSocket((socket, { id }) => socket.send(make(id))),
      limits,
    );
    return transport.send(CALL, inTime());
  }

  test('errors are replies, even one without an id while a single call waits', async () => {
    assert.deepEqual(await answerWith(failure), FAILURE);
    assert.deepEqual(await answerWith(() => failure(null)), FAILURE);
  });

  test('binary messages are read like texts', async () => {
    assert.deepEqual(await answerWith((id) => Buffer.from(result(id))), RESULT);
  });

  test('a malformed answer that names its call fails this call', async () => {
    await faultOf(
      answerWith((id) => `{"id":${id},"result":"0x`),
      'malformed',
    );
    await faultOf(
      answerWith((id) => `${result(id)}x`),
      'malformed',
    );
    await faultOf(
      answerWith((id) => `{"id":${id}}`),
      'malformed',
    );
    await faultOf(
      answerWith((id) => `[${result(id)}]`),
      'malformed',
    );
    await faultOf(
      answerWith((id) => Buffer.from(`{"id":${id},"result":"\xff"}`, 'latin1')),
      'malformed',
    );
  });

  test('unrelated messages are ignored', async () => {
    const noise = [
      '',
      'x',
      '[]',
      '[',
      '{}',
      'null',
      '<html>',
      '{"id":99,"result":1}',
      '{"id":"1","result":1}',
      '{"result":1}',
    ];
    noise.push(
      '{"method":"eth_subscription","params":null}',
      '{"method":"eth_subscription","params":{"subscription":1}}',
    );
    const [transport] = await reach(
      serveWebSocket((socket, { id }) => {
        for (const message of noise) socket.send(message);
        socket.send(result(id));
        socket.send(result(id));
      }),
    );
    for (let i = 0; i < 3; i++) assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  });

  test('a large result is streamed from the message without copies', async () => {
    const text = JSON.stringify('é'.repeat(500_000));
    const reply = await answerWith((id) => `{"id":${id},"result":${text},"x":1}`);
    assert.ok(typeof reply === 'object' && reply !== null && 'result' in reply);
    const { pieces } = reply.result as { pieces: AsyncIterable<Uint8Array> };
    const read: Uint8Array[] = [];
    for await (const piece of pieces) read.push(piece);
    assert.ok(read.length > 1);
    assert.ok(
      read.every((piece) => piece.buffer === read[0]?.buffer),
      'the pieces are copies',
    );
    assert.equal(Buffer.concat(read).toString(), text);
  });

  test('an answer beyond the bound is too large', async () => {
    await faultOf(
      answerWith((id) => `{"id":${id},"result":"${'x'.repeat(10_000)}"}`, { answerBytes: 9_000 }),
      'tooLarge',
    );
  });

  test('batches have replies in the order of the calls, or a single error for all', async () => {
    const lists: ((ids: number[]) => string)[] = [
      (ids) => `[${ids.map(result).reverse().join()}]`,
      (ids) => `[${failure(ids[0] as number)}]`,
      () => failure(null),
      (ids) => `[${result(ids[1] as number)}]`,
    ];
    const [transport] = await reach(
      serveWebSocket((socket, { text }) => {
        const ids = (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
        socket.send((lists.shift() ?? assert.fail())(ids));
      }),
    );
    const calls = [CALL, CALL];
    assert.deepEqual(await transport.sendBatch(calls, inTime()), [RESULT, RESULT]);
    assert.deepEqual(await transport.sendBatch(calls, inTime()), [FAILURE, FAILURE]);
    assert.deepEqual(await transport.sendBatch(calls, inTime()), [FAILURE, FAILURE]);
    await faultOf(transport.sendBatch(calls, inTime()), 'malformed');
    assert.deepEqual(await transport.sendBatch([], inTime()), []);
  });
});

describe('time limits and bounds', () => {
  test('an unanswered call times out without affecting the connection', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, method }) => {
        if (method !== 'hang') socket.send(result(id));
      }),
      { answerTimeout: 50 },
    );
    await faultOf(transport.send({ method: 'hang', params: '[]' }, inTime()), 'timeout');
    await faultOf(
      transport.send({ method: 'hang', params: '[]' }, { deadline: performance.now() + 10 }),
      'timeout',
    );
    assert.equal(node.connections(), 1);
    assert.equal(node.sockets.size, 1);
  });

  test('an aborted call frees its place among the calls in flight', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, method }) => {
        if (method !== 'hang') socket.send(result(id));
      }),
      { inFlight: 1 },
    );
    const controller = new AbortController();
    const hanging = transport.send(
      { method: 'hang', params: '[]' },
      { ...inTime(), signal: controller.signal },
    );
    await faultOf(transport.send(CALL, inTime()), 'rateLimited');
    controller.abort();
    await faultOf(hanging, 'aborted');
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
    assert.equal(node.connections(), 1);
  });

  test('the first connection is awaited until the deadline', async () => {
    const [transport] = await reach(serveRaw(() => {}));
    await faultOf(transport.send(CALL, { deadline: performance.now() + 50 }), 'timeout');
  });

  test('a handshake that hangs times out', async () => {
    const [transport] = await reach(
      serveRaw(() => {}),
      { connectTimeout: 50 },
    );
    await faultOf(transport.send(CALL, inTime()), 'timeout');
    await faultOf(transport.send(CALL, inTime()), 'timeout');
  });
});

describe('refused handshakes', () => {
  const refusals: readonly [number, Record<string, string>, FaultKind, number?][] = [
    [401, {}, 'unauthorized'],
    [403, {}, 'unauthorized'],
    [429, { 'retry-after': '7' }, 'rateLimited', 7_000],
    [503, { 'retry-after': '2' }, 'rateLimited', 2_000],
    [502, {}, 'httpStatus'],
    [302, { location: 'http://127.0.0.1:1/' }, 'httpStatus'],
    [200, {}, 'httpStatus'],
  ];
  for (const [status, headers, kind, wait] of refusals) {
    test(`HTTP status ${status} fails with its fault and retry delay`, async () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const [transport] = await reach(
        serveRaw((socket) =>
          socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n${lines.join('')}\r\nno`),
        ),
      );
      assert.equal((await faultOf(transport.send(CALL, inTime()), kind)).retryAfterMs, wait);
      const later = await faultOf(transport.send(CALL, inTime()), kind);
      if (wait !== undefined) assert.ok((later.retryAfterMs ?? 0) > 0 && (later.retryAfterMs ?? 0) <= wait);
    });
  }

  test('a missing server is unreachable, and is connected to later', async () => {
    const gone = await serveWebSocket(() => {});
    await gone.close();
    const transport = createWebSocketTransport(gone.endpoint, LIMITS);
    open.push(transport);
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    const back = await serveWebSocket((socket, { id }) => socket.send(result(id)), {
      port: Number(gone.endpoint.url.port),
    });
    open.push(back);
    assert.deepEqual(await sendWhenUp(transport), RESULT);
  });
});

describe('lost connections', () => {
  test('calls in flight fail, and further ones too until the connection is restored', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, method }, connection) => {
        if (method === 'drop') socket.terminate();
        else if (connection > 0 || method === 'early') socket.send(result(id));
      }),
    );
    assert.deepEqual(await transport.send({ method: 'early', params: '[]' }, inTime()), RESULT);
    const calls = ['hang', 'hang', 'drop'].map((method) =>
      transport.send({ method, params: '[]' }, inTime()),
    );
    await Promise.all(calls.map((call) => faultOf(call, 'unreachable')));
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.deepEqual(await sendWhenUp(transport), RESULT);
    assert.equal(node.connections(), 2);
  });

  test('a connection lost within an answer fails the call, and is restored', async () => {
    const [transport] = await reach(
      serveWebSocket((socket, { id }, connection) => {
        if (connection > 0) socket.send(result(id));
        else socket.send(result(id).slice(0, 20), { fin: false }, () => socket.terminate());
      }),
    );
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.deepEqual(await sendWhenUp(transport), RESULT);
  });

  test('a connection that the node closes fails the call, and is restored', async () => {
    const [transport] = await reach(
      serveWebSocket((socket, { id }, connection) => {
        if (connection > 0) socket.send(result(id));
        else socket.close(1001);
      }),
    );
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.deepEqual(await sendWhenUp(transport), RESULT);
  });

  test('a node that does not answer pings is disconnected', async () => {
    const [transport, node] = await reach(
      serveWebSocket(() => {}, { autoPong: false }),
      { pingInterval: 30 },
    );
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    await waitUntil(() => node.connections() > 1);
  });

  test('a node that answers pings stays connected', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id }) => setTimeout(() => socket.send(result(id)), 300)),
      { pingInterval: 100 },
    );
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
    assert.equal(node.connections(), 1);
  });

  test('closing the transport ends calls and the connection', async () => {
    const [transport, node] = await reach(serveWebSocket(() => {}));
    const call = faultOf(transport.send(CALL, inTime()), 'unreachable');
    await waitUntil(() => node.sockets.size === 1);
    await Promise.all([call, transport.close()]);
    await waitUntil(() => node.sockets.size === 0);
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    const [unused] = await reach(serveWebSocket(() => {}));
    await unused.close();
  });
});

describe('subscriptions to new heads', () => {
  function record(): AnnouncementListener & { readonly events: unknown[] } {
    const events: unknown[] = [];
    return {
      events,
      onResult: (header) => void events.push(header),
      onReady: () => void events.push('ready'),
      onLost: () => void events.push('lost'),
    };
  }
  const announce = (subscription: string, number: number): string =>
    `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":{"number":${number}}}}`;

  test('report announcements, and are renewed after a lost connection', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, text }, connection) => {
        assert.match(text, /"method":"eth_subscribe","params":\["newHeads"\]/);
        const name = `0x${connection}`;
        // The notification arrives in the same packet as the confirmation.
        (socket as WebSocket & { _socket: { cork(): void; uncork(): void } })._socket.cork();
        socket.send(`{"id":${id},"result":"${name}"}`);
        socket.send(announce(name, connection));
        socket.send(announce('0xother', 99));
        (socket as WebSocket & { _socket: { cork(): void; uncork(): void } })._socket.uncork();
      }),
    );
    const listener = record();
    transport.watch?.('newHeads', listener);
    await waitUntil(() => listener.events.length === 2);
    for (const socket of node.sockets) socket.terminate();
    await waitUntil(() => listener.events.length === 5);
    assert.deepEqual(listener.events, ['ready', { number: 0 }, 'lost', 'ready', { number: 1 }]);
  });

  test('are separate from those to pending transactions, on each connection', async () => {
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, text }, connection) => {
        const kind = text.includes('newHeads') ? 1 : 2;
        const name = `0x${connection}${kind}`;
        socket.send(`{"id":${id},"result":"${name}"}`);
        socket.send(announce(name, 10 * connection + kind));
      }),
    );
    const [heads, pending] = [record(), record()];
    transport.watch?.('newHeads', heads);
    transport.watch?.('newPendingTransactions', pending);
    await waitUntil(() => heads.events.length === 2 && pending.events.length === 2);
    for (const socket of node.sockets) socket.terminate();
    await waitUntil(() => heads.events.length === 5 && pending.events.length === 5);
    assert.deepEqual(heads.events, ['ready', { number: 1 }, 'lost', 'ready', { number: 11 }]);
    assert.deepEqual(pending.events, ['ready', { number: 2 }, 'lost', 'ready', { number: 12 }]);
  });

  test('are requested once from a node that does not support them', async () => {
    let requested = 0;
    const [transport] = await reach(
      serveWebSocket((socket, { id, method }) => {
        if (method === 'eth_subscribe') requested++;
        socket.send(method === 'eth_subscribe' ? failure(id) : result(id));
      }),
    );
    const listener = record();
    transport.watch?.('newHeads', listener);
    await waitUntil(() => listener.events.length === 1);
    for (let i = 0; i < 20; i++) await transport.send(CALL, inTime());
    assert.deepEqual(listener.events, ['lost']);
    assert.equal(requested, 1);
  });

  test('end with their watch', async () => {
    const requested: string[] = [];
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, text, method }) => {
        requested.push(text);
        socket.send(method === 'eth_subscribe' ? `{"id":${id},"result":"0xa"}` : result(id));
      }),
    );
    const listener = record();
    const stop = transport.watch?.('newHeads', listener) ?? assert.fail();
    await waitUntil(() => listener.events.length === 1);
    stop();
    for (const socket of node.sockets) socket.send(announce('0xa', 1));
    await transport.send(CALL, inTime());
    assert.deepEqual(listener.events, ['ready']);
    assert.match(requested[1] ?? '', /"method":"eth_unsubscribe","params":\["0xa"\]/);
  });

  test('are reported as lost once if no server listens', async () => {
    const gone = await serveWebSocket(() => {});
    await gone.close();
    const transport = createWebSocketTransport(gone.endpoint, LIMITS);
    open.push(transport);
    const listener = record();
    transport.watch?.('newHeads', listener);
    await waitUntil(() => listener.events.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.deepEqual(listener.events, ['lost']);
  });
});

test('calls of one turn are one write, and calls of the next turn are not delayed', async () => {
  const chunks: number[] = [];
  const node = await serveWebSocket((socket, { id }) => socket.send(result(id)));
  const transport = createWebSocketTransport(node.endpoint, LIMITS);
  open.push(node, transport);
  await transport.send(CALL, inTime());
  const write = Socket.prototype._writev;
  assert.ok(write);
  Socket.prototype._writev = function (list, done): void {
    chunks.push(list.length);
    write.call(this, list, done);
  };
  try {
    const calls = Array.from({ length: 50 }, () => transport.send(CALL, inTime()));
    assert.deepEqual(await Promise.all(calls), new Array(50).fill(RESULT));
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  } finally {
    Socket.prototype._writev = write;
  }
  assert.ok((chunks[0] ?? 0) >= 50, `${chunks}`);
});

describe('a node that sends unrequested data', () => {
  const HEADS = { onResult() {}, onLost() {}, onReady() {} };
  const fill = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length));
  const HUGE = 40 * 1024 * 1024;

  /** Sends one message repeatedly until the connection is closed. */
  function repeat(socket: WebSocket, send: (socket: WebSocket) => void): void {
    const timer = setInterval(() => {
      for (let i = 0; i < 50; i++) if (socket.readyState === socket.OPEN) send(socket);
    }, 1);
    socket.on('close', () => clearInterval(timer));
  }

  /** Returns how a connection ends on which a flood accompanies an answered call. */
  async function floodWith(
    flood: (socket: WebSocket, id: number) => void,
  ): Promise<{ readonly blamed: string; readonly closed: boolean }> {
    let blamed = '';
    let isClosed = false;
    const [transport] = await reach(
      serveWebSocket((socket, { id, method }) => {
        socket.on('close', () => {
          isClosed = true;
        });
        if (method === 'eth_subscribe') socket.send(`{"jsonrpc":"2.0","id":${id},"result":"0xs"}`);
        else socket.send(result(id));
        flood(socket, id);
      }),
      { onExcessive: (fault) => (blamed = fault.message) },
    );
    transport.watch?.('newHeads', HEADS);
    await transport.send(CALL, inTime()).catch(() => {});
    await waitUntil(() => isClosed && blamed !== '');
    return { blamed, closed: isClosed };
  }

  for (const [name, flood] of [
    ['answers to ids that were never sent', (socket) => repeat(socket, (to) => to.send(result(900_000)))],
    [
      'announcements of subscriptions that were never made',
      (socket) =>
        repeat(socket, (to) =>
          to.send(
            '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0xother","result":{}}}',
          ),
        ),
    ],
    [
      'the same of a megabyte',
      (socket) => repeat(socket, (to) => to.send(`{"method":"x","params":[${fill('[],', 1_048_576)}0]}`)),
    ],
    ['what is no JSON', (socket) => repeat(socket, (to) => to.send('hello'))],
    ['lists', (socket) => repeat(socket, (to) => to.send('[]'))],
    ['pings', (socket) => repeat(socket, (to) => to.ping('x'))],
    ['pongs', (socket) => repeat(socket, (to) => to.pong('x'))],
    ['one huge message', (socket) => socket.send(`{"method":"${fill('a', HUGE)}"}`)],
    ['a huge answer to nobody', (socket) => socket.send(`{"id":900000,"result":"${fill('a', HUGE)}"}`)],
    ['a huge list', (socket) => socket.send(`[${fill(`${result(1)},`, HUGE)}${result(1)}]`)],
    [
      'a message in fragments of a byte',
      (socket) => {
        for (let i = 0; i < 5_000; i++) socket.send('x', { fin: false });
      },
    ],
    [
      'a message in empty fragments',
      (socket) => {
        for (let i = 0; i < 5_000; i++) socket.send('', { fin: false });
      },
    ],
  ] as readonly (readonly [string, (socket: WebSocket) => void])[])
    test(`${name}: the connection ends, and the node is blamed`, async () => {
      const { blamed } = await floodWith(flood);
      assert.match(blamed, /more data than the request can need \(bound: /);
    });

  test('is reconnected to with a growing delay', async () => {
    let connections = 0;
    const [transport, node] = await reach(
      serveWebSocket((socket, { id }) => {
        socket.send(result(id));
        repeat(socket, (to) => to.send(result(900_000)));
      }),
      { onExcessive: () => connections++ },
    );
    await transport.send(CALL, inTime());
    await waitUntil(() => connections === 1);
    const fault = await faultOf(transport.send(CALL, inTime()), 'excessive');
    assert.match(fault.message, /not asked for/);
    assert.equal(node.connections(), 1);
  });

  test('is not blamed for late answers, a few unknown messages and pings', async () => {
    const late: (() => void)[] = [];
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, method }) => {
        if (method === 'slow') {
          late.push(() => socket.send(`{"id":${id},"result":"${fill('a', 2_000_000)}"}`));
          return;
        }
        socket.ping('x');
        socket.send('{"hello":1}');
        socket.send(result(id));
      }),
    );
    await transport.send(CALL, inTime());
    // All calls have to be sent within the time, on a busy machine too.
    const deadline = performance.now() + 1_000;
    const slow = Array.from({ length: 20 }, () =>
      faultOf(transport.send({ method: 'slow', params: '[]' }, { deadline }), 'timeout'),
    );
    await Promise.all(slow);
    await waitUntil(() => late.length === slow.length);
    for (const send of late) send();
    for (let i = 0; i < 20; i++) assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
    assert.equal(node.connections(), 1);
  });

  test('is not blamed for announcements of a subscription that ended a moment ago', async () => {
    let stop: (() => void) | undefined;
    const [transport, node] = await reach(
      serveWebSocket((socket, { id, method }) => {
        socket.send(method === 'eth_subscribe' ? `{"id":${id},"result":"0xs"}` : result(id));
        if (method !== 'eth_subscribe') return;
        stop = () => {
          const note =
            '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0xs","result":"0x1"}}';
          for (let i = 0; i < 500; i++) socket.send(note);
        };
      }),
    );
    let isReady = false;
    const unwatch = transport.watch?.('newPendingTransactions', {
      ...HEADS,
      onReady: () => {
        isReady = true;
      },
    });
    await waitUntil(() => isReady);
    unwatch?.();
    stop?.();
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
    assert.equal(node.connections(), 1);
  });

  test('is not blamed for frames of a kilobyte, as sent by geth', async () => {
    const long = `"0x${fill('ab', 500_000)}"`;
    const [transport] = await reach(
      serveWebSocket((socket, { id }) => {
        const text = `{"jsonrpc":"2.0","id":${id},"result":${long}}`;
        for (let at = 0; at < text.length; at += 1_024)
          socket.send(text.slice(at, at + 1_024), { fin: at + 1_024 >= text.length });
      }),
      { streamBytes: 2_000_000 },
    );
    const reply = await transport.send({ method: 'eth_call', params: '[]' }, inTime());
    assert.deepEqual(reply, { kind: 'result', result: long });
  });

  test('loses its connection while an answer beyond the bound of its request arrives', async () => {
    let blamed = '';
    const [transport] = await reach(
      serveWebSocket((socket, { id, method }) => {
        if (method !== 'eth_chainId') return;
        socket.send(`{"id":${id},"result":[${fill('[],', 3_000_000)}0]}`);
      }),
      { onExcessive: (fault) => (blamed = fault.message) },
    );
    // A call whose answer may have any length waits on the same connection.
    const other = transport.send({ method: 'eth_getLogs', params: '[{}]' }, inTime());
    await faultOf(transport.send({ method: 'eth_chainId', params: '[]' }, inTime()), 'excessive');
    await faultOf(other, 'excessive');
    assert.match(blamed, /bound: /);
  });
});
