import type { Config } from '../config/config.ts';
import { readErrorCode } from '../util/system-error.ts';

/** What node says when it cannot listen, in words that help. */
export function describeListenError(error: unknown, { listen }: Config): string {
  const where = `${listen.host}:${listen.port}`;
  const code = readErrorCode(error);
  if (code === 'EADDRINUSE')
    return `${where} is in use; choose another port with PORTCULLIS_PORT or listen.port`;
  if (code === 'EACCES') return `${where} may not be bound`;
  return error instanceof Error ? error.message : String(error);
}
