/** Charges of calls to a node, over real sockets. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import type { CallMeter, Transport, TransportLimits } from '../../../src/pool/transport/transport.ts';
import { createWebSocketTransport } from '../../../src/pool/transport/ws-transport.ts';
import { CancelSource } from '../../../src/util/cancel-source.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { faultOf, inTime, LIMITS, type Node, serveHttp, serveRaw, serveWebSocket } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

const PRICES: Readonly<Record<string, number>> = { eth_call: 26, eth_getLogs: 75, eth_subscription: 40 };

/** Meter that adds up the charged credits. */
class Bill implements CallMeter {
  credits = 0;

  priceOf(method: string): number {
    return PRICES[method] ?? 1;
  }

  charge(credits: number): void {
    this.credits += credits;
  }
}

type Billed = { readonly transport: Transport; readonly bill: Bill };

async function reach(
  starting: Promise<Node>,
  limits: Partial<TransportLimits> = {},
  create = createHttpTransport,
): Promise<Billed> {
  const node = await starting;
  const bill = new Bill();
  const transport = create(node.endpoint, { ...LIMITS, ...limits, meter: bill });
  open.push(node, transport);
  return { transport, bill };
}

const CALL = { method: 'eth_call', params: '[]' };
const LOGS = { method: 'eth_getLogs', params: '[]' };

const answerAll = (body: string): string => {
  const parsed: unknown = JSON.parse(body);
  const answerOne = (one: unknown): object => ({ id: (one as { id: number }).id, result: '0x1' });
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(answerOne) : answerOne(parsed));
};

describe('calls over HTTP', () => {
  test('are charged when they are answered, also each call of a batch', async () => {
    const { transport, bill } = await reach(serveHttp((response, { body }) => response.end(answerAll(body))));
    await transport.send(CALL, inTime());
    assert.equal(bill.credits, 26);
    await transport.sendBatch([CALL, LOGS, { method: 'net_version', params: '[]' }], inTime());
    assert.equal(bill.credits, 26 + 102);
    const small = { ...CALL, isSmall: true };
    const batch = {};
    await Promise.all([1, 2, 3].map(() => transport.send(small, { ...inTime(), batch })));
    assert.equal(bill.credits, 26 + 102 + 78);
  });

  test('are charged for errors, malformed answers and refusals, but not for 402, 429 and 5xx', async () => {
    for (const [status, body, credits] of [
      [200, '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted"}}', 26],
      [200, 'no JSON', 26],
      [400, '{}', 26],
      [401, '', 26],
      [402, '', 0],
      [429, '{}', 0],
      [500, '', 0],
      [503, '', 0],
    ] as const) {
      const { transport, bill } = await reach(serveHttp((response) => response.writeHead(status).end(body)));
      await transport.send(CALL, inTime()).catch(() => {});
      assert.equal(bill.credits, credits, `${status} ${body}`);
    }
  });

  test('are not charged if the connection fails, and once if they are sent again', async () => {
    const lost = await reach(serveRaw((socket) => socket.destroy()));
    await faultOf(lost.transport.send(CALL, inTime()), 'unreachable');
    assert.equal(lost.bill.credits, 0);
    const again = await reach(
      serveRaw((socket, id, connection, count) => {
        if (connection === 0 && count === 1) socket.destroy();
        else {
          const body = `{"id":${id},"result":"0x1"}`;
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        }
      }),
    );
    await again.transport.send(CALL, inTime());
    await again.transport.send(CALL, inTime());
    assert.equal(again.bill.credits, 52);
  });

  test('are charged if they are cancelled or time out after the node has received them', async () => {
    let received = 0;
    const { transport, bill } = await reach(
      serveHttp(() => received++),
      { answerTimeout: 300 },
    );
    await faultOf(transport.send(CALL, inTime()), 'timeout');
    assert.equal(bill.credits, 26);
    const source = new CancelSource();
    const cancelled = transport.send(LOGS, { ...inTime(), signal: source });
    await waitUntil(() => received === 2);
    source.abort();
    await faultOf(cancelled, 'aborted');
    assert.equal(bill.credits, 101);
    source.abort();
    await faultOf(transport.send(LOGS, { ...inTime(), signal: source }), 'aborted');
    assert.equal(bill.credits, 101, 'a call that was never sent');
  });
});

describe('calls over a WebSocket', () => {
  test('are charged when they are answered, and so are notifications', async () => {
    let results = 0;
    const { transport, bill } = await reach(
      serveWebSocket((socket, { id, method }) => {
        socket.send(`{"id":${id},"result":"0x1"}`);
        if (method !== 'eth_subscribe') return;
        for (const number of ['0x1', '0x2'])
          socket.send(
            `{"method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"${number}"}}}`,
          );
      }),
      {},
      createWebSocketTransport,
    );
    await transport.send(CALL, inTime());
    assert.equal(bill.credits, 26);
    transport.watch?.('newHeads', { onResult: () => results++, onLost: () => {}, onReady: () => {} });
    await waitUntil(() => results === 2);
    assert.equal(bill.credits, 26 + 1 + 80);
  });

  test('are charged if they time out, but not if the connection is lost', async () => {
    const lost = await reach(
      serveWebSocket((socket) => socket.terminate()),
      {},
      createWebSocketTransport,
    );
    await faultOf(lost.transport.send(CALL, inTime()), 'unreachable');
    assert.equal(lost.bill.credits, 0);
    const silent = await reach(
      serveWebSocket(() => {}),
      { answerTimeout: 300 },
      createWebSocketTransport,
    );
    await faultOf(silent.transport.send(CALL, inTime()), 'timeout');
    assert.equal(silent.bill.credits, 26);
  });
});
