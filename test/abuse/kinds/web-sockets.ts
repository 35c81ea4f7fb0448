/** WebSockets that are opened, or half opened, and used for something other than calls. */
import type { Abuse } from '../abuse.ts';
import { holdSockets, type writeSlowly } from '../attack/sockets.ts';
import { holdWebSockets } from '../attack/web-sockets.ts';
import { DEVNET } from './body-abuse.ts';
import { CHAIN_ID_BODY, encodeFrameHead, encodeRequest, encodeUpgrade } from './requests.ts';

const COMMON = { family: 'WebSockets', transport: 'WebSocket', key: 'unlimited', least: 8 } as const;
const TEXT = 1;
const CONTINUATION = 0;
const PING = 9;
const PONG = 10;
/** More WebSockets than the service allows. */
const TOO_MANY = 1_100;
const MESSAGE_BYTES = 5_000_000;
const FRAGMENT_BYTES = 50_000;

const ping = encodeFrameHead(PING, true, 125);
const PINGS = Buffer.concat(Array.from({ length: 500 }, () => Buffer.concat([ping, Buffer.alloc(125)])));
const TINY_FRAGMENTS = Buffer.concat(
  Array.from({ length: 10_000 }, () =>
    Buffer.concat([encodeFrameHead(CONTINUATION, false, 1), Buffer.of(0x20)]),
  ),
);

/** Opens WebSockets whose frames `write` encodes itself. */
function useRaw(
  attacker: Parameters<Abuse['begin']>[0],
  count: number,
  write: (socket: Parameters<typeof writeSlowly>[0]) => void,
): void {
  holdSockets(attacker, {
    count,
    reading: 'all',
    use(socket) {
      socket.write(`${encodeUpgrade(attacker.target)}\r\n`);
      socket.once('data', () => write(socket));
    },
  });
}

function writeForever(attacker: Parameters<Abuse['begin']>[0], count: number, bytes: Uint8Array): void {
  useRaw(attacker, count, (socket) => {
    const write = (): void => {
      if (socket.destroyed) return;
      attacker.seen.sent++;
      if (socket.write(bytes)) setImmediate(write);
      else socket.once('drain', write);
    };
    write();
  });
}

export const WEB_SOCKETS: readonly Abuse[] = [
  {
    ...COMMON,
    name: 'all WebSockets by one key',
    key: 'rated',
    charge: 'refused',
    isShort: true,
    ms: 3_000,
    begin: (attacker) =>
      holdWebSockets(attacker, {
        count: TOO_MANY,
        host: DEVNET,
        isRead: true,
        use: () => attacker.seen.sent++,
      }),
  },
  {
    ...COMMON,
    name: 'WebSockets opened and closed',
    charge: 'nothing',
    begin: (attacker) =>
      holdWebSockets(attacker, {
        count: 32,
        host: DEVNET,
        isRead: true,
        use(socket) {
          attacker.seen.sent++;
          socket.terminate();
        },
      }),
  },
  {
    ...COMMON,
    name: 'upgrades that are never finished',
    key: 'none',
    charge: 'refused',
    ms: 3_000,
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 2_000,
        reading: 'all',
        use: (socket) => void socket.write(encodeUpgrade(attacker.target)),
      }),
  },
  {
    ...COMMON,
    name: 'upgrades behind a slow call, never read',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 200,
        reading: 'none',
        use: (socket) =>
          void socket.write(
            Buffer.concat([
              encodeRequest(attacker.target),
              Buffer.from(`${encodeUpgrade(attacker.target)}\r\n`),
            ]),
          ),
      }),
  },
  {
    ...COMMON,
    name: 'pings without end',
    charge: 'nothing',
    begin: (attacker) => writeForever(attacker, 8, PINGS),
  },
  {
    ...COMMON,
    name: 'pongs and empty fragments without end',
    charge: 'nothing',
    begin: (attacker) =>
      writeForever(
        attacker,
        8,
        Buffer.concat([
          encodeFrameHead(TEXT, false, 0),
          ...Array.from({ length: 5_000 }, () => encodeFrameHead(CONTINUATION, false, 0)),
          encodeFrameHead(PONG, true, 0),
          encodeFrameHead(CONTINUATION, true, 0),
        ]),
      ),
  },
  {
    ...COMMON,
    name: 'messages of which the end never comes',
    charge: 'refused',
    ms: 3_000,
    begin: (attacker) =>
      useRaw(attacker, 100, (socket) => {
        const fragments = Array.from({ length: MESSAGE_BYTES / FRAGMENT_BYTES }, (_, index) =>
          Buffer.concat([
            encodeFrameHead(index === 0 ? TEXT : CONTINUATION, false, FRAGMENT_BYTES),
            Buffer.alloc(FRAGMENT_BYTES, 0x20),
          ]),
        );
        for (const fragment of fragments) socket.write(fragment);
      }),
  },
  {
    ...COMMON,
    name: 'frames of 5 MB of which the end never comes',
    charge: 'refused',
    ms: 3_000,
    begin: (attacker) =>
      useRaw(attacker, 100, (socket) => {
        socket.write(encodeFrameHead(TEXT, true, MESSAGE_BYTES));
        socket.write(Buffer.alloc(MESSAGE_BYTES - 1, 0x20));
      }),
  },
  {
    ...COMMON,
    name: 'fragments of one byte',
    charge: 'nothing',
    begin: (attacker) =>
      useRaw(attacker, 8, (socket) => {
        socket.write(Buffer.concat([encodeFrameHead(TEXT, false, 1), Buffer.of(0x20)]));
        const write = (): void => {
          if (socket.destroyed) return;
          attacker.seen.sent++;
          if (socket.write(TINY_FRAGMENTS)) setImmediate(write);
          else socket.once('drain', write);
        };
        write();
      }),
  },
  {
    ...COMMON,
    name: 'small messages, rated key',
    key: 'rated',
    charge: 'calls',
    begin: (attacker) =>
      writeForever(
        attacker,
        8,
        Buffer.concat(
          Array.from({ length: 32 }, () =>
            Buffer.concat([encodeFrameHead(TEXT, true, CHAIN_ID_BODY.length), CHAIN_ID_BODY]),
          ),
        ),
      ),
  },
  {
    ...COMMON,
    name: 'frames that are against the protocol',
    charge: 'nothing',
    begin: (attacker) => useRaw(attacker, 32, (socket) => void socket.write(Buffer.alloc(64, 0xff))),
  },
];
