import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

const CONNECTIONS = 64;
const HEADERS = { 'content-type': 'application/json' };

/** Receives the body of each request; calls `pass` at once or later to forward it. */
export type Admit = (body: Buffer, pass: () => void) => void;

/**
 * Serves a minimal proxy that passes bytes on and back, the baseline for proxies that inspect them.
 * @returns the port
 */
export async function serveBareProxy(url: string, admit: Admit = (_, pass) => pass()): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const options = { path: '/', method: 'POST' as const, headers: HEADERS, body };
      admit(body, () => pool.dispatch(options, new PassOn(response)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Collects one answer and sends it. */
class PassOn implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #chunks: Buffer[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#chunks);
    this.#response.writeHead(200, { ...HEADERS, 'content-length': bytes.length }).end(bytes);
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}
