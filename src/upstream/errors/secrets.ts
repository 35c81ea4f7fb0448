import type { Endpoint } from '../transport/transport.ts';

/** Shorter parts of an address are no secrets, and blanking them out would make texts unreadable. */
const MIN_SECRET_LENGTH = 4;
/** Path segments from this length on may be keys: `v2` and `rpc` are none. */
const MIN_SEGMENT_LENGTH = 8;

/**
 * Every part of an upstream's address and headers that must not be revealed: host, credentials, long path segments, query
 * values, header values with and without their scheme; each as written and decoded.
 */
export function listSecrets(url: URL, headers: Endpoint['headers']): string[] {
  const parts = [
    url.host,
    url.hostname,
    url.username,
    url.password,
    ...url.pathname.split('/').filter((segment) => segment.length >= MIN_SEGMENT_LENGTH),
    ...listQueryValues(url),
    ...Object.values(headers).flatMap(listHeaderSecrets),
  ];
  const spellings = new Set(parts.flatMap((part) => [part, decode(part)]));
  return [...spellings].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** As the address spells them and as they are meant; a bare name may be a key as well. */
function listQueryValues(url: URL): string[] {
  const written = url.search.slice(1).split('&');
  return [...written.map((pair) => pair.slice(pair.indexOf('=') + 1)), ...url.searchParams.values()];
}

function listHeaderSecrets(value: string): string[] {
  const [scheme = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0) return [scheme];
  const credentials = rest.join(' ');
  if (scheme.toLowerCase() !== 'basic') return [value, credentials, ...rest];
  const account = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = account.indexOf(':');
  return [value, credentials, account, account.slice(0, Math.max(colon, 0)), account.slice(colon + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
