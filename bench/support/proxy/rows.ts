import { encodePost, type LoadPlan } from '../../load.ts';
import { encodeFrame } from '../websocket-connection.ts';
import { RECEIPT_SIZES } from './chain-plan.ts';

/** A request, and the way it is sent. */
export type Row = {
  readonly name: string;
  readonly isWebSocket: boolean;
  readonly upstreams: 1 | 3;
  readonly connections: number;
  /** Network of the program; by default the one with `upstreams` nodes. */
  readonly network?: string;
  /** Text of a request. `MARK` stands in it for the digits that make each request distinct. */
  readonly body: string;
};

/** Placeholder of the same length as the number that replaces it. */
const MARK = 'c0ffee0000c0ffee';
const HEX_DIGITS = Buffer.from('0123456789abcdef');
const HOST = '127.0.0.1';
const USUAL_CONNECTIONS = 16;
const TOKEN = `0x${'5f'.repeat(20)}`;
const SELECTOR = '0x70a08231';

function encodeCall(owner: string, id: number): string {
  const data = SELECTOR + owner.padStart(64, '0');
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_call', params: [{ to: TOKEN, data }, 'latest'] });
}

function encodeBatch(items: number, encode: (index: number) => string): string {
  return `[${Array.from({ length: items }, (_, index) => encode(index)).join()}]`;
}

const DIFFERENT_CALLS = encodeCall(MARK, 1);
const REPEATED_CALL = encodeCall('1', 1);
const OVER_HTTP = { isWebSocket: false, upstreams: 1, connections: USUAL_CONNECTIONS } as const;
const OVER_WEBSOCKET = { ...OVER_HTTP, isWebSocket: true } as const;
const CHAIN_ID_CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';

export const ROWS: readonly Row[] = [
  { ...OVER_HTTP, name: 'different calls', body: DIFFERENT_CALLS },
  { ...OVER_HTTP, name: 'different calls, 1 connection', connections: 1, body: DIFFERENT_CALLS },
  { ...OVER_HTTP, name: 'different calls, 256 connections', connections: 256, body: DIFFERENT_CALLS },
  { ...OVER_HTTP, name: 'different calls, 3 nodes', upstreams: 3, body: DIFFERENT_CALLS },
  { ...OVER_WEBSOCKET, name: 'different calls, WebSocket', body: DIFFERENT_CALLS },
  { ...OVER_HTTP, name: 'repeated call', body: REPEATED_CALL },
  { ...OVER_WEBSOCKET, name: 'repeated call, WebSocket', body: REPEATED_CALL },
  { ...OVER_HTTP, name: 'chain id', body: CHAIN_ID_CALL },
  { ...OVER_WEBSOCKET, name: 'chain id, WebSocket', body: CHAIN_ID_CALL },
  ...RECEIPT_SIZES.map(({ name, block }) => ({
    ...OVER_HTTP,
    name: `receipts, ${name}`,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockReceipts',
      params: [`0x${block.toString(16)}`],
    }),
  })),
  { ...OVER_HTTP, name: 'batch of 20', body: encodeBatch(20, (id) => encodeCall(`${MARK}${id}`, id)) },
  { ...OVER_HTTP, name: 'batch of 100', body: encodeBatch(100, (id) => encodeCall(`${MARK}${id}`, id)) },
  {
    ...OVER_HTTP,
    name: 'batch of 20, 3 nodes',
    upstreams: 3,
    body: encodeBatch(20, (id) => encodeCall(`${MARK}${id}`, id)),
  },
  {
    ...OVER_HTTP,
    name: 'batch of 20, repeated',
    body: encodeBatch(20, (id) => encodeCall(`a${id}`, id)),
  },
];

/** Port and path at which a server accepts the requests of a row. */
export type Target = { readonly port: number; readonly path: string };

/** Last number used in the whole bench, so that no two requests share one. */
let lastNumber = 0;

/** Plans the load of a row; requests are encoded before it begins, except for the digits of their numbers. */
export function planLoad(
  { isWebSocket, connections, body }: Row,
  { port, path }: Target,
  durationMs: number,
): LoadPlan {
  const message = isWebSocket ? encodeFrame(body) : encodePost(path, HOST, body);
  const places = findPlaces(message);
  return {
    host: HOST,
    port,
    ...(isWebSocket && { webSocketPath: path }),
    connections,
    durationMs,
    request: places.length === 0 ? message : createNumbered(message, places, connections),
  };
}

function findPlaces(message: Buffer): number[] {
  const places: number[] = [];
  for (let at = message.indexOf(MARK); at >= 0; at = message.indexOf(MARK, at + MARK.length)) places.push(at);
  return places;
}

/** Reuses one buffer per connection, which has one request in flight. */
function createNumbered(
  message: Buffer,
  places: readonly number[],
  connections: number,
): (connection: number) => Uint8Array {
  const messages = Array.from({ length: connections }, () => Buffer.from(message));
  return (connection) => {
    const bytes = messages[connection] as Buffer;
    lastNumber++;
    for (const place of places) writeDigits(bytes, place, lastNumber);
    return bytes;
  };
}

function writeDigits(bytes: Buffer, place: number, number: number): void {
  let rest = number;
  for (let at = place + MARK.length - 1; at >= place; at--) {
    bytes[at] = HEX_DIGITS[rest % 16] as number;
    rest = Math.floor(rest / 16);
  }
}
