/** Attacks on a service that speaks TLS, before any request. */
import type { Abuse } from '../abuse.ts';
import { holdSockets } from '../attack/sockets.ts';

const COMMON = { family: 'TLS', transport: 'TLS', key: 'none' } as const;
/** Head of a TLS record of 512 bytes: the beginning of a handshake that never continues. */
const HALF_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);

export const TLS: readonly Abuse[] = [
  {
    ...COMMON,
    name: 'handshakes that stand still',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 1_000,
        reading: 'all',
        isPlain: true,
        use: (socket) => void socket.write(HALF_HELLO),
      }),
  },
  {
    ...COMMON,
    name: 'handshakes without a request',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 16,
        reading: 'all',
        reopenMs: 1,
        use: (socket) => void socket.destroy(),
      }),
  },
  {
    ...COMMON,
    name: 'what is no TLS',
    charge: 'nothing',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 64,
        reading: 'all',
        isPlain: true,
        reopenMs: 1,
        use: (socket) => void socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      }),
  },
];
