import {
  findRoute,
  type KeyedRoute,
  MAX_HEADER_FIELDS,
  type RequestHead,
  readRequestHead,
  readTrustParameter,
} from './request-head.ts';

/** Head of a fast-path request: a POST with a body of known length and no other HTTP/1.1 feature. */
export type FastPathHead = {
  readonly target: string;
  readonly route: KeyedRoute;
  readonly fields: RequestHead;
  /** Number of bytes before the body. */
  readonly headLength: number;
  readonly bodyLength: number;
};

/** Number of cached heads per connection; the heads of a client usually differ only in their Content-Length. */
const POOLED_HEADS = 4;
/** Maximum size of a head, bytes; the Node.js parser reads larger heads, such as those of browsers with cookies. */
const MAX_HEAD_BYTES = 4_096;
const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^POST ((?:\/[A-Za-z0-9_-]+)?\/v3\/[A-Za-z0-9_-]*) HTTP\/1\.1$/;
/** Matches a field name (RFC 9110 5.6.2, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Matches an ASCII field value (RFC 9110 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
const BODY_LENGTH = /^[0-9]{1,9}$/;

/** Header fields that change the meaning or the framing of a message; requests with such a field leave the fast path. */
const SPECIAL_FIELDS: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'content-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
]);

/** Fields that this server evaluates. A request that repeats a field which this server evaluates leaves the fast path. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'host',
  'content-type',
  'content-length',
  'accept-encoding',
  'origin',
  'user-agent',
  'authorization',
  'x-forwarded-for',
  'traceparent',
  'x-portcullis-session',
]);

/**
 * Parses request heads of one connection that are certainly valid; the Node.js parser reads all other heads. For every accepted head, the Node.js
 * parser would give the same result.
 */
export class FastPathHeadReader {
  /** Recently parsed heads, most recently used first. Heads are cached because a client sends the same heads again. */
  readonly #cached: { readonly bytes: Buffer; readonly head: FastPathHead }[] = [];

  /** Returns the head at the start of `bytes`; undefined if it is incomplete or not simple enough for the fast path. */
  read(bytes: Buffer): FastPathHead | undefined {
    const cached = this.#cached;
    for (let index = 0; index < cached.length; index++) {
      const entry = cached[index] as (typeof cached)[number];
      if (!beginsWith(bytes, entry.bytes)) continue;
      for (let place = index; place > 0; place--) cached[place] = cached[place - 1] as typeof entry;
      cached[0] = entry;
      return entry.head;
    }
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
    const text = bytes.toString('latin1', 0, end + HEAD_END.length);
    const head = parseFastPathHead(text);
    if (head === undefined) return undefined;
    if (cached.length === POOLED_HEADS) cached.pop();
    cached.unshift({ bytes: Buffer.from(text, 'latin1'), head });
    return head;
  }
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  const { length } = beginning;
  return bytes.length >= length && bytes.compare(beginning, 0, length, 0, length) === 0;
}

/** @param text head with its final empty line */
function parseFastPathHead(text: string): FastPathHead | undefined {
  const [requestLine = '', ...lines] = text.slice(0, -HEAD_END.length).split('\r\n');
  const target = REQUEST_LINE.exec(requestLine)?.[1];
  const rawHeaders = parseFields(lines);
  if (target === undefined || rawHeaders === undefined) return undefined;
  const route = findRoute(target);
  if (route.to !== 'http') return undefined;
  const fields = readRequestHead(rawHeaders);
  if (readTrustParameter(target)) fields.showsTrust = true;
  const { contentLength } = fields;
  if (contentLength === undefined || !BODY_LENGTH.test(contentLength)) return undefined;
  return {
    target,
    route,
    fields,
    headLength: text.length,
    bodyLength: Number(contentLength),
  };
}

/**
 * Returns alternating names and values, like `rawHeaders` of Node.js; undefined if there are too many fields, or if a field is invalid, special, or a
 * repeated one of `KNOWN_FIELDS`.
 */
function parseFields(lines: readonly string[]): string[] | undefined {
  if (lines.length > MAX_HEADER_FIELDS) return undefined;
  const rawHeaders: string[] = [];
  const seen = new Set<string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    if (!TOKEN.test(name) || !FIELD_VALUE.test(value)) return undefined;
    const lowerCase = name.toLowerCase();
    if (SPECIAL_FIELDS.has(lowerCase)) return undefined;
    if (lowerCase === 'connection' && value.trim().toLowerCase() !== 'keep-alive') return undefined;
    if (KNOWN_FIELDS.has(lowerCase)) {
      if (seen.has(lowerCase)) return undefined;
      seen.add(lowerCase);
    }
    rawHeaders.push(name, value.trim());
  }
  return rawHeaders;
}
