import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { ListenAddresses } from '../config/environment.ts';
import type { ConfigSource } from './config-source.ts';
import { describeAdminListenError, describeListenError } from './listen-error.ts';

/** Options that choose the port of a service, by the source of its configuration. */
const PORT_OPTIONS: Readonly<Record<ConfigSource['kind'], string>> = {
  file: 'PORTCULLIS_PORT or listen.port',
  text: '--port or PORTCULLIS_PORT',
  builtin: '--port or PORTCULLIS_PORT',
};

/**
 * Checks that a service can listen on its ports before it imports or opens chains, which may take minutes. The check binds the ports and releases
 * them. If another process binds a port in the meantime, the service reports the same error later. The default port of the admin server is not
 * checked, because the service runs without an admin server if that port is in use.
 * @throws Error with the port and advice if a port cannot be bound
 */
export async function requireFreePorts(
  { listen, admin }: ListenAddresses,
  kind: ConfigSource['kind'],
): Promise<void> {
  const bound: Server[] = [];
  try {
    bound.push(
      await bind(listen.host, listen.port, (error) =>
        describeListenError(error, listen, { port: PORT_OPTIONS[kind] }),
      ),
    );
    if (admin === false || admin.port === undefined) return;
    bound.push(await bind(admin.host, admin.port, (error) => describeAdminListenError(error, admin)));
  } finally {
    // The first port stays bound while the second is checked, so that equal ports of both servers are an error.
    await Promise.all(bound.map(release));
  }
}

async function bind(host: string, port: number, describe: (error: unknown) => string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(describe(error));
  }
  return server;
}

async function release(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
