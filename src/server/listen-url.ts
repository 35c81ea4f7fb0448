import type { ListenAddress } from './lifecycle.ts';

/** Returns the URL of a path at an address of this service. */
export function formatUrl(
  { host, port }: ListenAddress,
  scheme: 'http' | 'https' | 'ws' | 'wss',
  path: string,
): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
