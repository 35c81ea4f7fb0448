import type { AdminOptions } from '../admin/options.ts';
import type { ListenOptions } from '../server/options.ts';
import { describeSystemError, readErrorCode } from '../util/system-error.ts';

/** Describes a listen error with advice. @param portOptions options that choose another port */
export function describeListenError(
  error: unknown,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
  portOptions = 'PORTCULLIS_PORT or listen.port',
): string {
  const where = `${host}:${port}`;
  switch (readErrorCode(error)) {
    case 'EADDRINUSE':
      return `${where} is in use; choose another port with ${portOptions}`;
    case 'EACCES':
      return `${where} may not be bound; choose a port above 1023 with ${portOptions}`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine; ${CHOOSE_HOST}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${host} has no address; ${CHOOSE_HOST}`;
    default:
      return describeSystemError(error);
  }
}

const CHOOSE_HOST = 'choose another with PORTCULLIS_HOST or listen.host';

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
