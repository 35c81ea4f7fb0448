/** Requests whose answers are not, or hardly, read. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Abuse, Attacker } from '../abuse.ts';
import { holdSockets, readSlowly } from '../attack/sockets.ts';
import { holdWebSockets } from '../attack/web-sockets.ts';
import { encodeCall, NODES, ROLLUP } from './body-abuse.ts';
import { callForZeros, revertWithZeros } from './programs.ts';
import { encodeRequest } from './requests.ts';

const family = 'unread answers';
const ANSWER_BYTES = 11_000_000;
const LARGE = encodeCall('eth_call', callForZeros(ANSWER_BYTES));
const MIDDLING = encodeCall('eth_call', callForZeros(500_000));
const RECEIPTS = encodeCall('eth_getBlockReceipts', ['0x13']);
const OF_NODE = encodeCall('eth_call', [{ data: '0xb16e' }, 'latest']);
const LARGE_REVERT = { method: 'eth_call', params: [{ data: revertWithZeros(ANSWER_BYTES) }, 'latest'] };
/** Init code that jumps to its beginning until its time is up. */
const SLOW = { method: 'eth_call', params: [{ data: '0x5b600056' }, 'latest'] };
const MIDDLING_REVERT = { method: 'eth_call', params: [{ data: revertWithZeros(90_000) }, 'latest'] };
const READ = { bytes: 4_096, everyMs: 500 } as const;
const MS = 5_000;

function encodeBatch(calls: readonly object[]): Uint8Array {
  return Buffer.from(JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))));
}

type UnreadPlan = {
  readonly connections: number;
  readonly requests: number;
  readonly body: Uint8Array;
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isTrickle: boolean;
};

function askUnread(attacker: Attacker, plan: UnreadPlan): void {
  const { target, seen } = attacker;
  const request = encodeRequest(target, plan);
  holdSockets(attacker, {
    count: plan.connections,
    reading: plan.isTrickle ? 'own' : 'none',
    use(socket: Socket) {
      seen.sent += plan.requests - 1;
      for (let index = 0; index < plan.requests; index++) socket.write(request);
      if (plan.isTrickle) readSlowly(attacker, socket, READ.bytes, READ.everyMs);
    },
  });
}

function askUnreadOverWebSocket(
  attacker: Attacker,
  count: number,
  messages: number,
  isTrickle: boolean,
  body: Uint8Array = LARGE,
): void {
  holdWebSockets(attacker, {
    count,
    host: ROLLUP,
    isRead: false,
    use(socket: WebSocket) {
      attacker.seen.sent += messages;
      for (let index = 0; index < messages; index++) socket.send(body, { binary: false });
      if (!isTrickle) return;
      // A moment of reading empties the kernel's buffer, and lets the service send as much again.
      const timer = setInterval(() => {
        socket.resume();
        setTimeout(() => socket.pause(), 1);
      }, READ.everyMs);
      socket.once('close', () => clearInterval(timer));
    },
  });
}

const COMMON = { family, key: 'unlimited', charge: 'calls', ms: MS } as const;

export const UNREAD_ANSWERS: readonly Abuse[] = [
  {
    ...COMMON,
    name: 'answers of 11 MB that trickle',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, { connections: 40, requests: 8, body: LARGE, host: ROLLUP, isTrickle: true }),
  },
  {
    ...COMMON,
    name: 'answers of 11 MB that trickle, gzip',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, {
        connections: 40,
        requests: 8,
        body: LARGE,
        host: ROLLUP,
        headers: { 'Accept-Encoding': 'gzip' },
        isTrickle: true,
      }),
  },
  {
    ...COMMON,
    name: 'pipelined answers of 500 KB, not read',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, { connections: 64, requests: 64, body: MIDDLING, host: ROLLUP, isTrickle: false }),
  },
  {
    ...COMMON,
    name: 'pipelined receipts, not read',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, {
        connections: 1_000,
        requests: 64,
        body: RECEIPTS,
        host: 'devnet.localhost',
        isTrickle: false,
      }),
  },
  {
    ...COMMON,
    name: 'answers of 11 MB of a node that trickle',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, { connections: 40, requests: 4, body: OF_NODE, host: NODES, isTrickle: true }),
  },
  {
    ...COMMON,
    name: 'WebSockets that do not read',
    transport: 'WebSocket',
    isShort: true,
    begin: (attacker) => askUnreadOverWebSocket(attacker, 24, 8, false),
  },
  {
    ...COMMON,
    name: 'WebSockets that trickle',
    transport: 'WebSocket',
    begin: (attacker) => askUnreadOverWebSocket(attacker, 24, 8, true),
  },
  {
    ...COMMON,
    name: 'batches of one revert of 11 MB, not read',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, {
        connections: 60,
        requests: 1,
        body: encodeBatch([LARGE_REVERT]),
        host: ROLLUP,
        isTrickle: false,
      }),
  },
  {
    ...COMMON,
    name: 'batches with a slow call behind a revert of 11 MB',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, {
        connections: 60,
        requests: 1,
        body: encodeBatch([LARGE_REVERT, SLOW]),
        host: ROLLUP,
        isTrickle: false,
      }),
  },
  {
    ...COMMON,
    name: 'batches with a slow call behind 120 reverts of 90 KB',
    transport: 'HTTP',
    begin: (attacker) =>
      askUnread(attacker, {
        connections: 60,
        requests: 1,
        body: encodeBatch([...Array<object>(120).fill(MIDDLING_REVERT), SLOW]),
        host: ROLLUP,
        isTrickle: false,
      }),
  },
  {
    ...COMMON,
    name: 'batches of one revert of 11 MB, WebSockets that do not read',
    transport: 'WebSocket',
    begin: (attacker) => askUnreadOverWebSocket(attacker, 20, 2, false, encodeBatch([LARGE_REVERT])),
  },
];
