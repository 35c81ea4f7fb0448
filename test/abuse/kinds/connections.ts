/** Connections that are many, slow, or send something that is no request. */
import { gzipSync } from 'node:zlib';
import type { Abuse, Attacker } from '../abuse.ts';
import { holdSockets, writeSlowly } from '../attack/sockets.ts';
import { DEVNET, encodeCall, PRAGUE } from './body-abuse.ts';
import { repeat } from './programs.ts';
import { CHAIN_ID_BODY, encodeRequest, encodeUpgrade } from './requests.ts';

const COMMON = { family: 'connections', transport: 'TCP', key: 'unlimited', least: 16 } as const;
const BODY_BYTES = 5_000_000;
const HEAD = (key: string, ...fields: readonly string[]): string =>
  [`POST /v3/${key} HTTP/1.1`, `Host: ${DEVNET}`, 'Content-Type: application/json', ...fields, '', ''].join(
    '\r\n',
  );
/** Call that uses up all the gas of its limit, about 50 ms. */
const SLOW_CALL = encodeCall('eth_call', [{ data: repeat(''), gas: '0x2000000' }, 'latest'], 'slow');
const SMUGGLED = encodeCall('eth_chainId', [], 'smuggled');
const ZIPPED = gzipSync(CHAIN_ID_BODY);
const MANY_FIELDS = Array.from({ length: 1_100 }, (_, index) => `X-${index}: 1`).join('\r\n');

const write =
  (text: (attacker: Attacker) => Uint8Array | string, count: number, reading: 'all' | 'none' = 'all') =>
  (attacker: Attacker): void =>
    holdSockets(attacker, { count, reading, use: (socket) => void socket.write(text(attacker)) });

type Check = {
  readonly text: (attacker: Attacker) => Uint8Array;
  readonly count: number;
  /** Pattern that must not occur in the answers. */
  readonly never: RegExp;
  /** Text that has to arrive before the service ends the connection. */
  readonly first?: string;
};

/** Time for reading the answers before the next attempt, milliseconds. */
const CHECK_MS = 1_000;

/** Writes the text and checks the answers. */
const writeAndCheck =
  ({ text, count, never, first = '' }: Check) =>
  (attacker: Attacker): void =>
    holdSockets(attacker, {
      count,
      reading: 'all',
      reopenMs: 100,
      use(socket) {
        let received = '';
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString('latin1');
        });
        const timer = setTimeout(() => socket.destroy(), CHECK_MS);
        socket.once('end', () => {
          if (!received.includes(first)) attacker.seen.noteWrong(`ended without ${first}`);
        });
        socket.once('close', () => {
          clearTimeout(timer);
          const match = never.exec(received);
          if (match !== null) attacker.seen.noteWrong(match[0]);
        });
        socket.write(text(attacker));
      },
    });

/** Sends a refused request behind a slow call in one write: its error must not arrive before the call's answer. */
function behindSlowCall(name: string, writeNext: (attacker: Attacker) => string): Abuse {
  return {
    ...COMMON,
    name,
    charge: 'calls',
    begin: writeAndCheck({
      text: (attacker) =>
        Buffer.concat([
          encodeRequest(attacker.target, { body: SLOW_CALL, host: PRAGUE }),
          Buffer.from(writeNext(attacker)),
        ]),
      count: 16,
      never: /^HTTP\/1\.1 4\d\d/,
      first: '"id":"slow"',
    }),
  };
}

/** Closed connections keep their port for a minute; with few addresses the kernel's search for a free port takes long, in the attackers' time. */
const FLEETING_ADDRESSES = 100;

export const CONNECTIONS: readonly Abuse[] = [
  {
    ...COMMON,
    name: 'uploads that stand still, with a length',
    charge: 'refused',
    isShort: true,
    ms: 3_500,
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 100,
        reading: 'all',
        use(socket) {
          socket.write(HEAD(attacker.target.key, `Content-Length: ${BODY_BYTES}`));
          socket.write(Buffer.alloc(BODY_BYTES - 1, 0x20));
        },
      }),
  },
  {
    ...COMMON,
    name: 'uploads that stand still, in chunks',
    charge: 'refused',
    ms: 3_500,
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 100,
        reading: 'all',
        use(socket) {
          socket.write(HEAD(attacker.target.key, 'Transfer-Encoding: chunked'));
          for (let sent = 0; sent < BODY_BYTES; sent += 50_000) {
            socket.write(`c350\r\n${' '.repeat(50_000)}\r\n`);
          }
        },
      }),
  },
  {
    ...COMMON,
    name: 'uploads that stand still, many addresses',
    charge: 'refused',
    ms: 3_500,
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 100,
        reading: 'all',
        addresses: 100,
        use(socket) {
          socket.write(HEAD(attacker.target.key, `Content-Length: ${BODY_BYTES}`));
          socket.write(Buffer.alloc(BODY_BYTES - 1, 0x20));
        },
      }),
  },
  {
    ...COMMON,
    name: 'uploads in chunks of one byte',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 16,
        reading: 'all',
        use(socket) {
          socket.write(HEAD(attacker.target.key, 'Transfer-Encoding: chunked'));
          const chunks = '1\r\n \r\n'.repeat(5_000);
          const next = (): void => {
            if (socket.destroyed) return;
            attacker.seen.sent++;
            if (socket.write(chunks)) setImmediate(next);
            else socket.once('drain', next);
          };
          next();
        },
      }),
  },
  {
    ...COMMON,
    name: 'uploads that wait for 100 Continue',
    charge: 'nothing',
    begin: write(
      ({ target }) => HEAD(target.key, `Content-Length: ${BODY_BYTES}`, 'Expect: 100-continue'),
      500,
    ),
  },
  {
    ...COMMON,
    name: 'heads that come byte by byte',
    key: 'none',
    charge: 'refused',
    ms: 3_500,
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 500,
        reading: 'all',
        use: (socket) =>
          writeSlowly(
            socket,
            [Buffer.from('POST '), ...[...'/v3/x HTTP/1.1'].map((c) => Buffer.from(c))],
            300,
          ),
      }),
  },
  {
    ...COMMON,
    name: 'all connections by one address',
    key: 'none',
    charge: 'refused',
    ms: 3_000,
    begin: (attacker) =>
      holdSockets(attacker, { count: 4_300, reading: 'all', reopenMs: 500, use: () => {} }),
  },
  {
    ...COMMON,
    name: 'connections opened and closed',
    key: 'none',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 64,
        reading: 'all',
        addresses: FLEETING_ADDRESSES,
        reopenMs: 1,
        use: (socket) => void socket.destroy(),
      }),
  },
  {
    ...COMMON,
    name: 'connections opened and closed behind a request',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 64,
        reading: 'all',
        addresses: FLEETING_ADDRESSES,
        reopenMs: 1,
        use: (socket) => void socket.write(encodeRequest(attacker.target), () => socket.destroy()),
      }),
  },
  {
    ...COMMON,
    name: 'gzip bodies of clients that leave',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 16,
        reading: 'all',
        reopenMs: 10,
        use(socket) {
          const request = encodeRequest(attacker.target, {
            body: ZIPPED,
            headers: { 'Content-Encoding': 'gzip' },
          });
          socket.write(request, () => setImmediate(() => socket.destroy()));
        },
      }),
  },
  {
    ...COMMON,
    name: '1,100 header fields and an upgrade to h2c',
    charge: 'refused',
    isShort: true,
    begin: writeAndCheck({
      text: ({ target }) => {
        const inner = encodeRequest(target, { body: SMUGGLED });
        const head = HEAD(
          target.key,
          'Connection: Upgrade',
          'Upgrade: h2c',
          MANY_FIELDS,
          `Content-Length: ${inner.length}`,
        );
        return Buffer.concat([Buffer.from(head), inner]);
      },
      count: 32,
      never: /"id":"smuggled"/,
    }),
  },
  {
    ...COMMON,
    name: '1,100 header fields and a second host',
    charge: 'refused',
    begin: writeAndCheck({
      text: ({ target }) =>
        Buffer.concat([
          Buffer.from(
            HEAD(
              target.key,
              MANY_FIELDS,
              'Host: rollup.localhost',
              `Content-Length: ${CHAIN_ID_BODY.length}`,
            ),
          ),
          CHAIN_ID_BODY,
        ]),
      count: 32,
      never: /"result":"0x[0-9a-f]+"/,
    }),
  },
  behindSlowCall('garbage behind a slow call', () => '\0garbage\r\n\r\n'),
  behindSlowCall('CONNECT behind a slow call', () => 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'),
  behindSlowCall(
    'a refused upgrade behind a slow call',
    ({ target }) => `${encodeUpgrade({ ...target, key: 'wrong' })}\r\n`,
  ),
  {
    ...COMMON,
    name: 'pipelined upgrades to h2c',
    charge: 'calls',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 16,
        reading: 'all',
        reopenMs: 100,
        use(socket) {
          const bodies = ['slow', 1, 2, 3, 4].map((id) =>
            id === 'slow' ? SLOW_CALL : encodeCall('eth_chainId', [], id),
          );
          let received = '';
          socket.on('data', (chunk: Buffer) => {
            received += chunk.toString('latin1');
            const ids = [...received.matchAll(/"id":("slow"|\d)/g)].map(([, id]) => id).join();
            if (!'"slow",1,2,3,4'.startsWith(ids)) attacker.seen.noteWrong(`answers ${ids}`);
            if (ids.length >= 14) socket.destroy();
          });
          const headers = {
            Connection: 'Upgrade, HTTP2-Settings',
            Upgrade: 'h2c',
            'HTTP2-Settings': 'AAMAAABk',
          };
          socket.write(
            Buffer.concat(
              bodies.map((body, index) =>
                encodeRequest(attacker.target, { body, headers, ...(index === 0 && { host: PRAGUE }) }),
              ),
            ),
          );
        },
      }),
  },
  {
    ...COMMON,
    name: 'heads of 60 KB',
    charge: 'refused',
    begin: write(({ target }) => HEAD(target.key, `X: ${'x'.repeat(60_000)}`), 32),
  },
  {
    ...COMMON,
    name: 'requests pipelined without end',
    charge: 'calls',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 16,
        reading: 'all',
        use(socket) {
          const requests = Buffer.concat(Array.from({ length: 50 }, () => encodeRequest(attacker.target)));
          let received = '';
          let owed = 50;
          const send = (): void => {
            owed = 50;
            attacker.seen.sent += owed;
            socket.write(requests);
          };
          socket.on('data', (chunk: Buffer) => {
            received += chunk.toString('latin1');
            const answers = received.split('HTTP/1.1 ').length - 1;
            if (answers < owed) return;
            received = '';
            if (!socket.destroyed) send();
          });
          send();
        },
      }),
  },
  {
    ...COMMON,
    name: '10,000 requests in one write',
    charge: 'calls',
    begin: (attacker) => {
      const requests = Buffer.concat(Array.from({ length: 10_000 }, () => encodeRequest(attacker.target)));
      holdSockets(attacker, { count: 16, reading: 'none', use: (socket) => void socket.write(requests) });
    },
  },
];
