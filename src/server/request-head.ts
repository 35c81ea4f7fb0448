import { copyText } from '../util/copy-text.ts';

/** Maximum number of header fields of a request, including fields that browsers and proxies add. */
export const MAX_HEADER_FIELDS = 128;

/** Headers that this server evaluates; undefined if absent. */
export type RequestHead = {
  host: string | undefined;
  contentType: string | undefined;
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  acceptEncoding: string | undefined;
  origin: string | undefined;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** Values of X-Forwarded-For, combined with commas: addresses that proxies appended, the last proxy's entry last. */
  forwardedFor: string | undefined;
  traceParent: string | undefined;
  /** Name that the client chose for a series of requests. */
  session: string | undefined;
  /** Set if the query of the target has `trust=1`, which requests a member `trust` with each result. */
  showsTrust?: true;
  /** Set if the request has a header that proxies add, for example X-Forwarded-For. */
  isForwarded?: true;
  /** Whether there is more than one Host header, for which RFC 9112 3.2 requires status 400. */
  hasTwoHosts: boolean;
};

/**
 * Extracts the known headers from the flat `rawHeaders` of Node.js in one pass. `IncomingMessage.headers` would first build an object with all
 * headers, which costs as much as the rest of the routing.
 */
export function readRequestHead(rawHeaders: readonly string[]): RequestHead {
  const head: RequestHead = {
    host: undefined,
    contentType: undefined,
    contentLength: undefined,
    contentEncoding: undefined,
    acceptEncoding: undefined,
    origin: undefined,
    userAgent: undefined,
    authorization: undefined,
    forwardedFor: undefined,
    traceParent: undefined,
    session: undefined,
    hasTwoHosts: false,
  };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const value = rawHeaders[i + 1] as string;
    switch (name.length) {
      case 4:
        if (isNamed(name, 'Host', 'host')) {
          head.hasTwoHosts = head.host !== undefined;
          head.host = value;
        }
        break;
      case 6:
        if (isNamed(name, 'Origin', 'origin')) head.origin = value;
        break;
      case 10:
        if (isNamed(name, 'User-Agent', 'user-agent')) head.userAgent = value;
        break;
      case 11:
        if (isNamed(name, 'Traceparent', 'traceparent')) head.traceParent = value;
        break;
      case 12:
        if (isNamed(name, 'Content-Type', 'content-type')) head.contentType = value;
        break;
      case 13:
        if (isNamed(name, 'Authorization', 'authorization')) head.authorization = value;
        break;
      case 14:
        if (isNamed(name, 'Content-Length', 'content-length')) head.contentLength = value;
        break;
      case 15:
        if (isNamed(name, 'X-Forwarded-For', 'x-forwarded-for')) {
          head.forwardedFor = head.forwardedFor === undefined ? value : `${head.forwardedFor},${value}`;
        } else if (isNamed(name, 'Accept-Encoding', 'accept-encoding')) {
          head.acceptEncoding = head.acceptEncoding === undefined ? value : `${head.acceptEncoding},${value}`;
        }
        break;
      case 16:
        if (isNamed(name, 'Content-Encoding', 'content-encoding')) {
          head.contentEncoding =
            head.contentEncoding === undefined ? value : `${head.contentEncoding},${value}`;
        }
        break;
      case 20:
        if (isNamed(name, 'X-Portcullis-Session', SESSION_HEADER)) head.session = cutSession(value);
        break;
    }
    if (isOfProxies(name)) head.isForwarded = true;
  }
  return head;
}

/** Prefix of non-standard proxy headers. */
const FORWARDED = 'x-forwarded-';

/** Whether a header with this name shows that a proxy forwarded the request. */
function isOfProxies(name: string): boolean {
  switch (name.length) {
    case 3:
      return isNamed(name, 'Via', 'via');
    case 9:
      return isNamed(name, 'Forwarded', 'forwarded') || isNamed(name, 'X-Real-IP', 'x-real-ip');
    default:
      // Fast path: nearly all names of other headers have no dash at this position, so no string is allocated for them.
      return (
        name.length > FORWARDED.length &&
        name.charAt(FORWARDED.length - 1) === '-' &&
        name.slice(0, FORWARDED.length).toLowerCase() === FORWARDED
      );
  }
}

const SESSION_HEADER = 'x-portcullis-session';
/** Maximum length of a session name; further characters are ignored. */
const MAX_SESSION_LENGTH = 128;

function cutSession(name: string): string | undefined {
  return name === '' ? undefined : name.slice(0, MAX_SESSION_LENGTH);
}

/** Whether the query of a target has `trust=1`. */
export function readTrustParameter(target: string): boolean {
  const query = target.indexOf('?');
  return query >= 0 && new URLSearchParams(target.slice(query)).get('trust') === '1';
}

/** Returns the session name in the query of a target, because browsers cannot set headers for a WebSocket. */
export function readSessionParameter(target: string): string | undefined {
  const query = target.indexOf('?');
  return query < 0 ? undefined : cutSession(new URLSearchParams(target.slice(query)).get('session') ?? '');
}

function isNamed(name: string, usual: string, lowerCase: string): boolean {
  return name === usual || name === lowerCase || name.toLowerCase() === lowerCase;
}

/** Parsed path with a key: `/v3/<key>`, or `/<network>/v3/<key>`, which ignores the host. WebSocket paths have `/ws` before `/v3`. */
export type KeyedRoute = {
  readonly to: 'http' | 'webSocket';
  /** Network name in the path; undefined if the host selects the network. */
  readonly network: string | undefined;
  /** Key; undefined if the path ends before it. */
  readonly key: string | undefined;
};

/** Destination of a request target. */
export type RequestTarget =
  | KeyedRoute
  | { readonly to: 'openRpc' | 'live' | 'ready' }
  | { readonly to: 'nothing' };

const OPEN_RPC: RequestTarget = { to: 'openRpc' };
const LIVE: RequestTarget = { to: 'live' };
const READY: RequestTarget = { to: 'ready' };
const NOTHING: RequestTarget = { to: 'nothing' };
/**
 * Matches a path with a key, without decoding or normalization. A network name is any name that the configuration allows, except `ws` and `v3`, with
 * which other paths begin.
 */
const KEYED_PATH = /^(?:\/(?!(?:ws|v3)\/)([A-Za-z0-9_-]{1,64}))?(\/ws)?\/v3(?:\/([^/]*))?$/;

/** Finds the route of an origin-form path; the query is ignored. */
export function findRoute(target: string): RequestTarget {
  const path = withoutQuery(target);
  const keyed = KEYED_PATH.exec(path);
  if (keyed !== null) {
    const [, network, webSocket, key] = keyed;
    const to = webSocket === undefined ? 'http' : 'webSocket';
    // The key is copied to a flat string: every call looks up its key, and V8 compares a sliced string more slowly.
    return { to, network, key: key === undefined || key === '' ? undefined : copyText(key) };
  }
  switch (path) {
    case '/openrpc.json':
      return OPEN_RPC;
    case '/health/live':
      return LIVE;
    case '/health/ready':
      return READY;
    default:
      return NOTHING;
  }
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/**
 * Splits a request target in absolute form (`http://host/path`, RFC 9112 3.2.2), which every server must accept and whose host replaces the Host
 * header. A target that is not in absolute form is returned unchanged.
 */
export function splitTarget(target: string): { readonly path: string; readonly host: string | undefined } {
  if (target.charCodeAt(0) === 47 || !/^https?:\/\//i.test(target)) return { path: target, host: undefined };
  const authority = target.indexOf('//') + 2;
  const slash = target.indexOf('/', authority);
  if (slash < 0) return { path: '/', host: target.slice(authority) };
  return { path: target.slice(slash), host: target.slice(authority, slash) };
}
