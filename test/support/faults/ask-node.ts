import { request } from 'undici';
import type { Answer, Call } from './fault.ts';

/** Sends one call to a real node. Rejects without a response. */
export async function sendToNode(
  url: string,
  { method, params }: Pick<Call, 'method' | 'params'>,
): Promise<Answer> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await body.json()) as { result?: unknown; error?: never };
  return error === undefined ? { result } : { error };
}
