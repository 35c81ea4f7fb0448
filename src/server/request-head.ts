import { copyText } from '../util/copy-text.ts';

/** Maximum header fields of a request, including those of browsers and proxies. */
export const MAX_HEADER_FIELDS = 128;

/** Headers that this server acts on; undefined if absent. */
export type RequestHead = {
  host: string | undefined;
  contentType: string | undefined;
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  acceptEncoding: string | undefined;
  origin: string | undefined;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** Addresses appended by proxies, the latest last. */
  forwardedFor: string | undefined;
  traceParent: string | undefined;
  /** Session name chosen by the client. */
  session: string | undefined;
  /** The target requests a member `trust` beside each result. */
  showsTrust?: true;
  /** A proxy forwarded the request and added a header. */
  isForwarded?: true;
  /** More than one Host header: the request names two networks (RFC 9112 3.2 requires 400). */
  hasTwoHosts: boolean;
};

/**
 * Extracts the known headers from node's flat `rawHeaders` in one pass. `IncomingMessage.headers` would first build
 * an object of all of them, which costs as much as the rest of the routing.
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

/** Whether only proxies send this header. */
function isOfProxies(name: string): boolean {
  switch (name.length) {
    case 3:
      return isNamed(name, 'Via', 'via');
    case 9:
      return isNamed(name, 'Forwarded', 'forwarded') || isNamed(name, 'X-Real-IP', 'x-real-ip');
    default:
      // The dash excludes nearly all other names without allocating a string.
      return (
        name.length > FORWARDED.length &&
        name.charAt(FORWARDED.length - 1) === '-' &&
        name.slice(0, FORWARDED.length).toLowerCase() === FORWARDED
      );
  }
}

const SESSION_HEADER = 'x-portcullis-session';
/** Significant characters of a session name. */
const MAX_SESSION_LENGTH = 128;

function cutSession(name: string): string | undefined {
  return name === '' ? undefined : name.slice(0, MAX_SESSION_LENGTH);
}

/** Whether the query of a target requests a member `trust` beside each result. */
export function readTrustParameter(target: string): boolean {
  const query = target.indexOf('?');
  return query >= 0 && new URLSearchParams(target.slice(query)).get('trust') === '1';
}

/** Returns the session named in the query of a target: browsers cannot set headers of a WebSocket. */
export function readSessionParameter(target: string): string | undefined {
  const query = target.indexOf('?');
  return query < 0 ? undefined : cutSession(new URLSearchParams(target.slice(query)).get('session') ?? '');
}

function isNamed(name: string, usual: string, lowerCase: string): boolean {
  return name === usual || name === lowerCase || name.toLowerCase() === lowerCase;
}

/**
 * A path of the service: `/v3/<key>`, or `/<network>/v3/<key>` independent of the host; WebSockets have `/ws`
 * before `/v3`.
 */
export type KeyedRoute = {
  readonly to: 'http' | 'webSocket';
  /** Verbatim from the path; undefined where the host selects the network. */
  readonly network: string | undefined;
  /** Undefined when the path ends where the key should be. */
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
 * Nothing is decoded or normalized: a name is any network name of the configuration, except for the two words that
 * paths begin with otherwise.
 */
const KEYED_PATH = /^(?:\/(?!(?:ws|v3)\/)([A-Za-z0-9_-]{1,64}))?(\/ws)?\/v3(?:\/([^/]*))?$/;

/** Finds the route of an origin-form path; a query is ignored. */
export function findRoute(target: string): RequestTarget {
  const path = withoutQuery(target);
  const keyed = KEYED_PATH.exec(path);
  if (keyed !== null) {
    const [, network, webSocket, key] = keyed;
    const to = webSocket === undefined ? 'http' : 'webSocket';
    // The copy is for speed: V8 compares sliced strings in its runtime, and the key is looked up for every call.
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
 * Splits the absolute form (`http://host/path`, RFC 9112 3.2.2), which every server must accept and whose host
 * replaces the Host header. Any other form is returned unchanged.
 */
export function splitTarget(target: string): { readonly path: string; readonly host: string | undefined } {
  if (target.charCodeAt(0) === 47 || !/^https?:\/\//i.test(target)) return { path: target, host: undefined };
  const authority = target.indexOf('//') + 2;
  const slash = target.indexOf('/', authority);
  if (slash < 0) return { path: '/', host: target.slice(authority) };
  return { path: target.slice(slash), host: target.slice(authority, slash) };
}
