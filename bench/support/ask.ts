import type { Server } from './portcullis.ts';

/** Address that requests are sent to. */
export type Target = Pick<Server, 'port' | 'path'>;

/** Encodes one JSON-RPC call. */
export function encodeRequest(method: string, params: readonly unknown[], id = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/**
 * Posts a body and returns the response's body.
 * @throws Error on a status other than 2xx
 */
export async function post({ port, path }: Target, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}: ${text.slice(0, 200)}`);
  return text;
}
