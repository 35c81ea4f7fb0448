/** Short requests to a program that serves the built-in development chain. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { WebSocket } from 'ws';
import { FACTS } from './development.ts';

/** The network of most configurations, which is also served under any other host. */
export const DEVNET = { devnet: { builtin: 'devnet', hosts: ['devnet.localhost', '127.0.0.1'] } } as const;
export const CHAIN_ID: string = `0x${Number(FACTS.devnet.chainId).toString(16)}`;

/** Returns the chain id that the program reports. @throws Error when it reports another one */
export async function askProgram(port: number, host: string = 'devnet.localhost'): Promise<unknown> {
  const { status, body } = await postTo(port, { method: 'eth_chainId', host });
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly result?: unknown }).result;
}

export type Request = {
  readonly method: string;
  readonly params?: readonly unknown[];
  readonly host?: string;
  readonly key?: string;
};
export type Reply = { readonly status: number; readonly body: unknown };

/** Sends one request over a connection of its own. */
export function postTo(port: number, { method, params = [], host, key }: Request): Promise<Reply> {
  return postText(port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), { host, key });
}

type Place = { readonly host?: string | undefined; readonly key?: string | undefined };

export async function postText(
  port: number,
  text: string,
  { host = 'devnet.localhost', key = 'demo' }: Place = {},
): Promise<Reply> {
  const headers = { host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = { method: 'POST', host: '127.0.0.1', port, path: `/v3/${key}`, headers, agent: false };
  const outgoing = request(options).end(text);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode ?? 0, body: JSON.parse(body) };
}

/** Opens a WebSocket to the development chain. */
export async function openSocket(
  port: number,
  key: string = 'demo',
  host: string = '127.0.0.1',
): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, { headers: { host } });
  await once(socket, 'open');
  return socket;
}
