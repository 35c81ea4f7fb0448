import type { UpstreamOptions } from './options.ts';
import type { Endpoint } from './transport/transport.ts';

/** Where a row of the configuration leads, with what must be said there. */
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

/** A label of a host that looks like a key: some vendors put it there. */
const KEY_LABEL = /^(?=[^.]*\d)[a-z0-9-]{12,}$/i;

/** What logs call an upstream that was given no name: its host, without anything that could be a key. */
export function nameUpstream({ name, url }: UpstreamOptions, position: number): string {
  const { host, hostname } = new URL(url);
  const mayBeKey = hostname.split('.').some((label) => KEY_LABEL.test(label));
  return name ?? `${mayBeKey ? 'upstream' : host}#${position + 1}`;
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Key under which nodes of the same operator are counted as one. Without a configured name it is the host, on loopback the host and port. It may hold a
 * key (some vendors put it into the host), so it is compared and never shown.
 */
export function findOperator({ operator, url }: UpstreamOptions): string {
  if (operator !== undefined) return operator;
  const { host, hostname } = new URL(url);
  return LOOPBACK.test(hostname) ? host : hostname;
}
