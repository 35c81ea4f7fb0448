/** Abuses that send one body again and again over HTTP or WebSocket. */
import type { Abuse, AbuserKey, Charge } from '../abuse.ts';
import { postForever } from '../attack/post.ts';
import { messageForever } from '../attack/web-sockets.ts';

export const DEVNET = 'devnet.localhost';
export const ROLLUP = 'rollup.localhost';
export const PRAGUE = 'prague.localhost';
export const NODES = 'nodes.localhost';

export type BodyAbuse = {
  readonly name: string;
  readonly family: string;
  /** Called when the abuse begins; a returned function makes each body anew. */
  readonly makeBody: () => Uint8Array | (() => Uint8Array);
  readonly transport?: 'HTTP' | 'WebSocket';
  readonly key?: AbuserKey;
  readonly charge?: Charge;
  readonly host?: string;
  /** Number of connections, each with one body in flight. */
  readonly connections?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pause?: number;
  readonly ms?: number;
  readonly isShort?: boolean;
};

const CONNECTIONS = { HTTP: 8, WebSocket: 4 } as const;

/** Creates the abuse that sends this body. */
export function bodyAbuse(row: BodyAbuse): Abuse {
  const { name, family, makeBody, transport = 'HTTP', key = 'unlimited', charge = 'body' } = row;
  const { host = DEVNET, connections = CONNECTIONS[transport], headers = {} } = row;
  return {
    name,
    family,
    transport,
    key,
    charge,
    ...(row.ms !== undefined && { ms: row.ms }),
    ...(row.isShort !== undefined && { isShort: row.isShort }),
    begin(attacker) {
      const body = makeBody();
      const pause = row.pause === undefined ? {} : { pause: row.pause };
      if (transport === 'HTTP') postForever(attacker, { connections, host, headers, body, ...pause });
      else messageForever(attacker, { count: connections, host, body });
    },
    makeProbe() {
      const body = makeBody();
      return { transport, host, headers, body: typeof body === 'function' ? body() : body };
    },
  };
}

let lastNumber = 0;

/** Returns a number that no body has used before. */
export function nextNumber(): number {
  return ++lastNumber;
}

export function encodeCall(method: string, params: readonly unknown[], id: unknown = 1): Uint8Array {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
}
