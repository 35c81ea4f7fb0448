import type { Target } from '../abuse.ts';
import { DEVNET, encodeCall } from './body-abuse.ts';

export type RequestPlan = {
  readonly host?: string;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export const CHAIN_ID_BODY: Uint8Array = encodeCall('eth_chainId', []);

/** Encodes a complete HTTP request. */
export function encodeRequest({ key }: Target, plan: RequestPlan = {}): Buffer {
  const { host = DEVNET, body = CHAIN_ID_BODY, headers = {} } = plan;
  const lines = [
    `POST /v3/${key} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

/** Encodes the head of an upgrade to WebSocket, without the empty line that ends it. */
export function encodeUpgrade({ key }: Target, host: string = DEVNET): string {
  return [
    `GET /ws/v3/${key} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
  ].join('\r\n');
}

const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Encodes the head of a client's frame; its mask is 0, so that the content stays as it is. */
export function encodeFrameHead(opcode: number, isFinal: boolean, length: number): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  const mask = [0, 0, 0, 0];
  if (length < LENGTH_16) return Buffer.from([first, MASKED | length, ...mask]);
  const head = Buffer.alloc(length < 0x10000 ? 8 : 14);
  head[0] = first;
  if (length < 0x10000) {
    head[1] = MASKED | LENGTH_16;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = MASKED | LENGTH_64;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return head;
}
