import type { RawAnswer } from '../server/support.ts';

/** Encodes a request to the network `devnet` with its key; the headers are sent unchanged. */
export function createRequest(
  body: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/v3/demo',
): Buffer {
  const fields = {
    Host: 'devnet.localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return Buffer.concat([head, Buffer.from(body)]);
}

/** Parses the response body as JSON-RPC. */
export function readAnswer(answer: RawAnswer): { readonly error?: { readonly code: number } } {
  return JSON.parse(answer.body.toString('utf8')) as { readonly error?: { readonly code: number } };
}
