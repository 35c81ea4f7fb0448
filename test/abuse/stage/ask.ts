import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { WebSocket } from 'ws';
import { DEVNET } from '../kinds/body-abuse.ts';
import { CHAIN_ID_BODY } from '../kinds/requests.ts';
import type { Stage } from './stage.ts';

export type Asking = {
  readonly text: string | Uint8Array;
  readonly host: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit for the answer, milliseconds. */
  readonly timeLimit?: number;
};

/** Sends a request over a new connection. @throws Error when there is no answer */
export async function requestText(
  stage: Stage,
  { text, host, key, headers = {}, timeLimit = 30_000 }: Asking,
): Promise<{ readonly status: number; readonly text: string }> {
  const outgoing = (stage.isSecure ? requestSecurely : request)({
    method: 'POST',
    host: '127.0.0.1',
    port: stage.program.port,
    path: `/v3/${key}`,
    headers: {
      host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    },
    agent: false,
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(timeLimit),
  }).end(text);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let answer = '';
  for await (const chunk of response.setEncoding('latin1')) answer += chunk;
  return { status: response.statusCode ?? 0, text: answer };
}

const SOCKET_MS = 60_000;

/** Requests the chain id over a new WebSocket. @returns why there is no answer; undefined when there is one */
export function findWebSocketFault(stage: Stage): Promise<string | undefined> {
  const protocol = stage.isSecure ? 'wss' : 'ws';
  const url = `${protocol}://127.0.0.1:${stage.program.port}/ws/v3/${stage.keyOf('neighbour')}`;
  const socket = new WebSocket(url, {
    headers: { host: DEVNET },
    rejectUnauthorized: false,
    handshakeTimeout: SOCKET_MS,
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => end('no answer'), SOCKET_MS);
    const end = (fault: string | undefined): void => {
      clearTimeout(timer);
      socket.terminate();
      resolve(fault);
    };
    socket.once('open', () => socket.send(CHAIN_ID_BODY, { binary: false }));
    socket.once('message', (data: Buffer) => {
      const text = String(data);
      end(text.includes('"result":"0x') ? undefined : text.slice(0, 200));
    });
    socket.on('error', ({ message }) => end(message));
    socket.once('close', (code) => end(`closed ${code}`));
  });
}
