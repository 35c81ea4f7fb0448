/** Requests that no client may make, or that need no key. */
import type { Abuse } from '../abuse.ts';
import { type PostPlan, postForever } from '../attack/post.ts';
import { holdSockets } from '../attack/sockets.ts';
import { DEVNET, nextNumber } from './body-abuse.ts';
import { CHAIN_ID_BODY, encodeUpgrade } from './requests.ts';

const COMMON = { family: 'access', transport: 'HTTP', key: 'none', least: 20 } as const;
const NOTHING = new Uint8Array(0);

const post = (plan: Partial<PostPlan>): Abuse['begin'] => {
  return (attacker) => postForever(attacker, { connections: 32, host: DEVNET, body: CHAIN_ID_BODY, ...plan });
};
const makeWrongKey = (): string => nextNumber().toString(16).padStart(32, 'a');

export const ACCESS: readonly Abuse[] = [
  {
    ...COMMON,
    name: 'wrong keys',
    charge: 'refused',
    begin: post({ path: () => `/v3/${makeWrongKey()}` }),
  },
  {
    ...COMMON,
    name: 'wrong keys from 10 addresses',
    charge: 'refused',
    begin: post({ path: () => `/v3/${makeWrongKey()}`, addresses: 10, connections: 30 }),
  },
  {
    ...COMMON,
    name: 'wrong keys with bodies of 5 MB',
    charge: 'refused',
    begin: post({ path: () => `/v3/${makeWrongKey()}`, body: Buffer.alloc(5_000_000, 0x20) }),
  },
  {
    ...COMMON,
    name: 'wrong keys of 8 KB',
    charge: 'refused',
    begin: post({ path: () => `/v3/${'k'.repeat(8_000)}${nextNumber()}` }),
  },
  {
    ...COMMON,
    name: 'unknown hosts',
    charge: 'nothing',
    begin: post({ host: `${'x.'.repeat(120)}localhost` }),
  },
  {
    ...COMMON,
    name: 'unknown paths',
    charge: 'nothing',
    begin: post({ path: () => `/${'a/'.repeat(2_000)}` }),
  },
  {
    ...COMMON,
    name: 'OpenRPC documents',
    charge: 'nothing',
    begin: post({ path: '/openrpc.json', method: 'GET', body: NOTHING }),
  },
  {
    ...COMMON,
    name: 'OpenRPC documents, gzip',
    charge: 'nothing',
    begin: post({
      path: '/openrpc.json',
      method: 'GET',
      body: NOTHING,
      headers: { 'accept-encoding': 'gzip' },
    }),
  },
  {
    ...COMMON,
    name: 'preflights and questions about health',
    charge: 'nothing',
    begin(attacker) {
      const headers = { origin: 'https://a.example.org', 'access-control-request-method': 'POST' };
      post({ method: 'OPTIONS', body: NOTHING, headers, connections: 16 })(attacker);
      return post({ path: '/health/ready', method: 'GET', body: NOTHING, connections: 16 })(attacker);
    },
  },
  {
    ...COMMON,
    name: 'refused upgrades',
    transport: 'WebSocket',
    charge: 'refused',
    begin: (attacker) =>
      holdSockets(attacker, {
        count: 64,
        reading: 'all',
        reopenMs: 1,
        use: (socket) =>
          void socket.write(`${encodeUpgrade({ ...attacker.target, key: makeWrongKey() })}\r\n`),
      }),
  },
];
