import type { UpstreamOptions } from './options.ts';
import type { Endpoint } from './transport/transport.ts';

/** Builds the URL and the credential headers for a row of the configuration. */
export function createEndpoint(url: string, row: UpstreamOptions): Endpoint {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(row.headers ?? {})) headers[name.toLowerCase()] = value;
  if (row.bearer !== undefined) headers['authorization'] = `Bearer ${row.bearer}`;
  if (row.basic !== undefined) {
    const credentials = Buffer.from(`${row.basic.user}:${row.basic.password}`).toString('base64');
    headers['authorization'] = `Basic ${credentials}`;
  }
  return { url: new URL(url), headers };
}

/** Matches a host label that looks like a key: some vendors put the key into the host. */
const KEY_LABEL = /^(?=[^.]*\d)[a-z0-9-]{12,}$/i;

/** Returns the name of an upstream for logs: the configured name, or else the host without any part that may be a key. */
export function nameUpstream({ name, url }: UpstreamOptions, position: number): string {
  const { host, hostname } = new URL(url);
  const mayBeKey = hostname.split('.').some((label) => KEY_LABEL.test(label));
  return name ?? `${mayBeKey ? 'upstream' : host}#${position + 1}`;
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns an identifier that is equal for all nodes of one operator: the configured name, otherwise the host (host and port on loopback). The
 * identifier must never be shown, only compared, because some vendors put the API key into the host.
 */
export function findOperator({ operator, url }: UpstreamOptions): string {
  if (operator !== undefined) return operator;
  const { host, hostname } = new URL(url);
  return LOOPBACK.test(hostname) ? host : hostname;
}
