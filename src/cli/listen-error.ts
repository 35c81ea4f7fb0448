import type { Config } from '../config/config.ts';

/** What node says when it cannot listen, in words that help. */
export function describeListenError(error: NodeJS.ErrnoException, { listen }: Config): string {
  const where = `${listen.host}:${listen.port}`;
  if (error.code === 'EADDRINUSE')
    return `${where} is in use; choose another port with PORTCULLIS_PORT or listen.port`;
  if (error.code === 'EACCES') return `${where} may not be bound`;
  return error.message;
}
