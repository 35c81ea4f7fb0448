/** Address and login of a server. The address and the login must never be logged. */
export type RedisTarget = {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
};

const DEFAULT_PORT = 6379;
const TLS_BY_PROTOCOL: ReadonlyMap<string, boolean> = new Map([
  ['redis:', false],
  ['valkey:', false],
  ['rediss:', true],
  ['valkeys:', true],
]);

/**
 * Parses `redis://user:password@host:port/database` (or `rediss:` with TLS, `valkey:`, `valkeys:`).
 * @throws RangeError for anything else; its message does not quote the text
 */
export function parseRedisUrl(text: string): RedisTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const tls = TLS_BY_PROTOCOL.get(url?.protocol ?? '');
  const path = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '');
  if (url === undefined || tls === undefined || path === null || url.hostname === '') throw invalidUrl();
  if (url.search !== '' || url.hash !== '') throw invalidUrl();
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    tls,
    username: decodeCredential(url.username),
    password: decodeCredential(url.password),
    database: Number(path[1]),
  };
}

function decodeCredential(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl();
  }
}

function invalidUrl(): RangeError {
  return new RangeError('expected redis://[user:password@]host[:port][/database], or rediss: for TLS');
}
