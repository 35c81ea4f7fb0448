import { request as openRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type AdminParts, type AdminServer, createAdminServer } from '../../src/admin/admin-server.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { connectLocally } from '../../src/util/local-connection.ts';
import { createStatus } from './status-fixture.ts';

export type RunningAdmin = {
  readonly server: AdminServer;
  readonly port: number;
  /** Log lines so far. */
  readonly lines: readonly string[];
};

export type AdminChoices = {
  readonly key?: string;
  readonly sources?: Partial<AdminParts['sources']>;
  readonly clock?: AdminParts['clock'];
  /** Credentials and parts of the Admin API; by default there is none. */
  readonly credentials?: NonNullable<AdminParts['options']['api']>;
  readonly api?: AdminParts['api'];
};

/** Creates the status source of a service that listens at this address. */
export function createService(host: string, port: number): AdminParts['sources']['service'] {
  const connect = (signal: AbortSignal): Promise<Socket> => connectLocally({ host, port }, signal);
  return { scheme: 'http', host, port, connect };
}

/** Starts an admin server on a port that the system picks. */
export async function startAdmin({
  key,
  sources,
  clock,
  credentials,
  api,
}: AdminChoices = {}): Promise<RunningAdmin> {
  const lines: string[] = [];
  const server = createAdminServer({
    options: {
      host: '127.0.0.1',
      port: 0,
      ...(key !== undefined && { key }),
      ...(credentials !== undefined && { api: credentials }),
    },
    sources: {
      status: () => createStatus(),
      openRpc: () => '{"methods":[]}',
      service: createService('127.0.0.1', 1),
      ...sources,
    },
    log: createLogger('debug', { sink: { write: (line) => void lines.push(line) } }),
    ...(clock !== undefined && { clock }),
    ...(api !== undefined && { api }),
  });
  const { port } = await server.listen();
  return { server, port, lines };
}

export type Asked = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Got = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

/** Sends one request without normalizing its path, and with any Host. */
export function ask(
  port: number,
  { method = 'GET', path = '/status', headers = {}, body }: Asked,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const request = openRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
