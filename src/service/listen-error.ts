import type { AdminOptions } from '../admin/options.ts';
import type { ListenOptions } from '../server/options.ts';
import { describeSystemError, readErrorCode } from '../util/system-error.ts';

/** Names of the options that choose another address, in errors. */
type AddressOptions = { readonly host?: string; readonly port?: string };

/** Describes a listen error with advice. @param options names of the options; by default those of a configuration file */
export function describeListenError(
  error: unknown,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
  options: AddressOptions = {},
): string {
  const where = `${host}:${port}`;
  const portOption = options.port ?? 'PORTCULLIS_PORT or listen.port';
  const chooseHost = `choose another with ${options.host ?? 'PORTCULLIS_HOST or listen.host'}`;
  switch (readErrorCode(error)) {
    case 'EADDRINUSE':
      return `${where} is in use; choose another port with ${portOption}`;
    case 'EACCES':
      return `${where} may not be bound; choose a port above 1023 with ${portOption}`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine; ${chooseHost}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${host} has no address; ${chooseHost}`;
    default:
      return describeSystemError(error);
  }
}

/** Describes an error of the admin server's port with advice. */
export function describeAdminListenError(
  error: unknown,
  { host, port }: Pick<AdminOptions, 'host' | 'port'>,
): string {
  const code = readErrorCode(error);
  const reason =
    code === 'EADDRINUSE' ? 'is in use' : `cannot be bound (${code ?? (error as Error).message})`;
  return `the admin server's ${host}:${port} ${reason}; choose another with PORTCULLIS_ADMIN_PORT or admin`;
}
