import type { AdminApiParts, AdminServer } from '../admin/admin-server.ts';
import { DEFAULT_ADMIN_PORT } from '../admin/options.ts';
import type { AdminSources } from '../admin/sources.ts';
import type { Config } from '../config/config.ts';
import { METHODS } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import { encodeOpenRpc } from '../rpc/openrpc.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import type { TlsOptions } from '../server/options.ts';
import type { LocalListener } from '../util/local-connection.ts';
import { OpenedOnce } from '../util/opened-once.ts';
import { readErrorCode } from '../util/system-error.ts';
import { describeAdminListenError } from './listen-error.ts';
import { readVersion } from './version.ts';

export type OpenAdminParts = Pick<AdminSources, 'status' | 'metrics'> & {
  /** Operations of the Admin API; absent if the configuration has none. */
  readonly api?: AdminApiParts | undefined;
  /** Address on which the service listens for clients. */
  readonly service: ListenAddress;
  readonly config: Pick<Config, 'admin' | 'listen'>;
  readonly log: Logger;
  /** Port if the configuration names none. */
  readonly defaultPort?: number;
};

export type OpenAdmin = { readonly server: AdminServer; readonly address: ListenAddress };

/**
 * Starts the admin server of a configuration.
 * @returns undefined if there is no admin server, or if the port is the default port and in use
 * @throws Error with the configured port if it cannot be bound
 */
export async function openAdmin({
  config: { admin, listen },
  log,
  defaultPort = DEFAULT_ADMIN_PORT,
  service,
  api,
  ...sources
}: OpenAdminParts): Promise<OpenAdmin | undefined> {
  if (admin === false) return undefined;
  // Loaded on demand: a service without an admin server does not need the module.
  const { createAdminServer } = await import('../admin/admin-server.ts');
  // If the operating system chooses the service's port, it chooses the admin server's port too.
  const options = { ...admin, port: admin.port ?? (listen.port === 0 ? 0 : defaultPort) };
  let openRpc: string | undefined;
  const server = createAdminServer({
    options,
    sources: {
      ...sources,
      service: describeService(service, listen.tls),
      openRpc: () => {
        openRpc ??= encodeOpenRpc(METHODS, readVersion());
        return openRpc;
      },
    },
    ...(api !== undefined && { api }),
    log,
  });
  try {
    return { server, address: await server.listen() };
  } catch (error) {
    const code = readErrorCode(error);
    // With a configured Admin API the start fails, because programs would otherwise send changes to the other service on the port.
    if (code === 'EADDRINUSE' && admin.port === undefined && admin.api === undefined) {
      log.warn({ port: options.port }, 'the port of the status page is in use: continuing without it');
      return undefined;
    }
    throw new Error(describeAdminListenError(error, options));
  }
}

function describeService(
  { host, port }: ListenAddress,
  tls: TlsOptions | undefined,
): AdminSources['service'] {
  const listener = new OpenedOnce(() => describeListener({ host, port }, tls));
  return {
    scheme: tls === undefined ? 'http' : 'https',
    host,
    port,
    async connect(signal) {
      const { connectLocally } = await import('../util/local-connection.ts');
      return connectLocally(await listener.get(), signal);
    },
  };
}

async function describeListener(address: ListenAddress, tls: TlsOptions | undefined): Promise<LocalListener> {
  if (tls === undefined) return address;
  const { CertificatePin } = await import('../util/certificate-pin.ts');
  const pin = new CertificatePin(tls.cert);
  return { ...address, admits: (shown) => pin.admits(shown) };
}
