import type { Config } from '../config/config.ts';
import { describeSystemError, readErrorCode } from '../util/system-error.ts';

/** Describes a listen error with advice. */
export function describeListenError(error: unknown, { listen }: Config): string {
  const where = `${listen.host}:${listen.port}`;
  switch (readErrorCode(error)) {
    case 'EADDRINUSE':
      return `${where} is in use; choose another port with PORTCULLIS_PORT or listen.port`;
    case 'EACCES':
      return `${where} may not be bound`;
    case 'EADDRNOTAVAIL':
      return `${listen.host} is not an address of this machine; ${CHOOSE_HOST}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${listen.host} has no address; ${CHOOSE_HOST}`;
    default:
      return describeSystemError(error);
  }
}

const CHOOSE_HOST = 'choose another with PORTCULLIS_HOST or listen.host';
