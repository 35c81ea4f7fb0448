import type { ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import { SECURITY_HEADERS } from './answers.ts';
import type { WatchLine } from './page/console/wire.ts';
import { AdminRefusal } from './refusal.ts';
import type { AdminCall, Connect } from './service-client.ts';

const HANDSHAKE_MS = 10_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Send backlog in bytes at which a page that does not read is disconnected. */
const MAX_BACKLOG_BYTES = 1024 * 1024;

/**
 * Sends a call to the service over a WebSocket, like clients do. Forwards each message to the page as one line,
 * until the service or the page closes.
 * @throws AdminRefusal if the service does not accept the connection
 */
export async function passOnMessages(
  connect: Connect,
  call: AdminCall,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const ws = await open(connect, call, left.signal);
  left.signal.addEventListener('abort', () => ws.terminate());
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  response.flushHeaders();
  const send = (line: WatchLine): void => {
    if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy();
    else response.write(`${JSON.stringify(line)}\n`);
  };
  ws.on('message', (data) => send({ message: String(data) }));
  ws.send(call.body);
  if (left.signal.aborted) ws.terminate();
  return new Promise((resolve) => {
    ws.once('close', (code, reason) => {
      send({ closed: { code, reason: reason.toString() } });
      response.end();
      resolve();
    });
  });
}

async function open(connect: Connect, call: AdminCall, signal: AbortSignal): Promise<WebSocket> {
  const { network, host, key, authorization } = call;
  const socket = await connect(signal).catch(() => {
    throw new AdminRefusal(502, 'the service did not answer');
  });
  const ws = new WebSocket(`ws://service/${network}/ws/v3/${key}`, {
    createConnection: () => socket,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    headers: { Host: host, ...(authorization !== undefined && { Authorization: authorization }) },
  });
  return new Promise((resolve, reject) => {
    const refuse = (what: string): void => {
      reject(new AdminRefusal(502, `the service did not accept the WebSocket (${what})`));
      ws.terminate();
    };
    ws.once('unexpected-response', (_, { statusCode }) => refuse(`HTTP ${statusCode}`));
    ws.on('error', () => refuse('no answer'));
    ws.once('open', () => resolve(ws));
  });
}
