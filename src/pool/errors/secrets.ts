import type { Endpoint } from '../transport/transport.ts';

/** Minimum length of a secret. A shorter part of a URL is not secret, and masking it would make messages unreadable. */
const MIN_SECRET_LENGTH = 4;
/** Minimum length of an encoded secret; shorter sequences of digits occur by chance. */
const MIN_ENCODED_LENGTH = 8;
const BYTE_BITS = 8;
const BASE64_BITS = 6;
/** Matches a path segment that is a name, such as `mainnet` and `ethereum-sepolia`. */
const WORD = /^[a-z_-]+$/i;
/** Minimum length of a key; shorter keys can be guessed. */
const MIN_KEY_LENGTH = 8;
/** Minimum length of a path segment that may be a key; `v2` and `rpc` are not keys. */
const MIN_SEGMENT_LENGTH = 8;

/**
 * Lists all parts of an upstream's URL and headers that must not be revealed: host, credentials, long path segments, query values, and header values
 * with and without their scheme. Each part is listed in all encodings of `spell`.
 */
export function listSecrets(url: URL, headers: Endpoint['headers']): string[] {
  const segments = url.pathname.split('/').filter((segment) => segment.length >= MIN_SEGMENT_LENGTH);
  const parts = [url.host, url.hostname, ...segments, ...listProvided(url, headers)];
  return spell(parts);
}

/**
 * Lists the secrets that cannot be guessed, in all encodings of `spell`. Secrets that cannot be guessed are keys, the host with its path, and the
 * host preceded by `//`. Secrets that cannot be guessed are masked even in revert reasons, whose text callers can choose. A bare host, a user name, a
 * word or a short password is not listed, because a mask would confirm a guess.
 */
export function listCredentials(url: URL, headers: Endpoint['headers']): string[] {
  const segments = url.pathname.split('/').filter((segment) => !WORD.test(segment));
  const rest = `${url.pathname}${url.search}`;
  const address = [
    `//${url.host}`,
    ...(rest.length > 1 ? [`//${url.host}${rest}`, `${url.hostname}${rest}`] : []),
  ];
  const keys = [...segments, ...listProvided(url, headers)].filter((key) => key.length >= MIN_KEY_LENGTH);
  const users = new Set(Object.values(headers).map((header) => readUser(readAccount(header))));
  return spell([...address, ...keys.filter((key) => !users.has(key))]);
}

/** Lists the configured credentials: user, password, query values and header values. */
function listProvided(url: URL, headers: Endpoint['headers']): string[] {
  const { username, password } = url;
  // User and password are sent as one base64 text, which an error may quote. A short password would not be found inside of this text.
  const account = `${decode(username)}:${decode(password)}`;
  const accounts = account === ':' ? [] : [account, Buffer.from(account).toString('base64')];
  return [
    username,
    password,
    ...accounts,
    ...listQueryValues(url),
    ...Object.values(headers).flatMap(listHeaderSecrets),
  ];
}

/** Returns each part in all encodings: as written, decoded, URL- and JSON-escaped, and in base64 and hex as it occurs within a longer text. */
function spell(parts: readonly string[]): string[] {
  const plain = new Set(parts.flatMap((part) => [part, decode(part)]));
  const secrets = [...plain].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  return [...new Set([...secrets, ...secrets.flatMap(listEscaped), ...secrets.flatMap(encode)])];
}

/** Returns the secret with percent escapes, applied once and twice, and with JSON escapes, with and without escaped slashes. */
function listEscaped(secret: string): string[] {
  // The conversion replaces unpaired surrogates, for which percent escapes do not exist.
  const percent = encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8'));
  const json = JSON.stringify(secret).slice(1, -1);
  return [percent, encodeURIComponent(percent), json, json.replaceAll('/', '\\/')];
}

/**
 * Encodes a secret in hex, and in base64 at each of the three offsets in a group of 3 bytes. Base64 digits that also depend on neighbouring bytes are
 * left out. Results shorter than `MIN_ENCODED_LENGTH` are left out, because other texts may contain them.
 */
function encode(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const encodings = [bytes.toString('hex')];
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * BYTE_BITS) / BASE64_BITS);
    const to = Math.floor((whole.length * BYTE_BITS) / BASE64_BITS);
    encodings.push(whole.toString('base64').slice(from, to), whole.toString('base64url').slice(from, to));
  }
  return encodings.filter(({ length }) => length >= MIN_ENCODED_LENGTH);
}

/** Returns query values as written and decoded; a name without a value may be a key too. */
function listQueryValues(url: URL): string[] {
  const written = url.search.slice(1).split('&');
  return [...written.map((pair) => pair.slice(pair.indexOf('=') + 1)), ...url.searchParams.values()];
}

function listHeaderSecrets(value: string): string[] {
  const [scheme = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0) return [scheme];
  const credentials = rest.join(' ');
  const account = readAccount(value);
  if (account === undefined) return [value, credentials, ...rest];
  const user = readUser(account);
  return [value, credentials, account, user, account.slice(account.indexOf(':') + 1)];
}

/** Returns `user:password` of basic authorization; undefined for other headers. */
function readAccount(header: string): string | undefined {
  const [scheme = '', credentials = ''] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'basic') return undefined;
  return Buffer.from(credentials, 'base64').toString('utf8');
}

function readUser(account = ''): string {
  return account.slice(0, Math.max(account.indexOf(':'), 0));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
