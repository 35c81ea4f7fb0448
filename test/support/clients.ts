import { request as post } from 'undici';
import { WebSocket } from 'ws';

/** Sends one JSON text and returns the text of the response. */
export type Exchanger = { send(request: string): Promise<string>; close(): Promise<void> };

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export function createHttpExchanger(authority: string, key = 'demo', host?: string): Exchanger {
  return {
    async send(request) {
      const { body } = await post(`http://${authority}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(host !== undefined && { host }) },
        body: request,
      });
      return body.text();
    },
    close: async () => undefined,
  };
}

/** Sends one request at a time over one connection. */
export async function openWebSocketExchanger(authority: string, key = 'demo'): Promise<Exchanger> {
  const socket = new WebSocket(`ws://${authority}/ws/v3/${key}`, { maxPayload: MAX_ANSWER_BYTES });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return {
    send(request) {
      return new Promise((resolve, reject) => {
        const onClose = (): void => reject(new Error('the connection was closed'));
        socket.once('close', onClose);
        socket.once('message', (data) => {
          socket.off('close', onClose);
          resolve(String(data));
        });
        socket.send(request);
      });
    },
    close() {
      return new Promise((resolve) => {
        socket.once('close', () => resolve());
        socket.close();
      });
    },
  };
}
