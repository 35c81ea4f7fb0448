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
  /** Bytes up to the body, and bytes of the body. */
  readonly headLength: number;
  readonly bodyLength: number;
};

/** Cached heads per connection; heads usually differ in their content length. */
const POOLED_HEADS = 4;
/** Maximum head size; larger heads, such as those of browsers with cookies, are left to node's parser. */
const MAX_HEAD_BYTES = 4_096;
const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^POST ((?:\/[A-Za-z0-9_-]+)?\/v3\/[A-Za-z0-9_-]*) HTTP\/1\.1$/;
/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 5.5, except for bytes beyond ASCII. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
const BODY_LENGTH = /^[0-9]{1,9}$/;

/** Header fields that change what a message means or where it ends. */
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

/** Fields that this server acts on: none may occur twice. */
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
 * Parses request heads of one connection if they are plainly valid, and leaves all others to node's parser. node's
 * parser reads every head accepted here in the same way.
 */
export class FastPathHeadReader {
  /** Last distinct heads, most recently used first: clients repeat their heads. */
  readonly #cached: { readonly bytes: Buffer; readonly head: FastPathHead }[] = [];

  /** Returns the head at the start of `bytes`; undefined if there is no complete fast-path head. */
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

/** @param text a head with its final empty line */
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

/** Returns alternating names and values, like node's `rawHeaders`; undefined if any field is unusual. */
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
