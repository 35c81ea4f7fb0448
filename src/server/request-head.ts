import { copyText } from '../util/copy-text.ts';

/** Header fields of one request, browsers' and proxies' among them; with more it is refused. */
export const MAX_HEADER_FIELDS = 128;

/** The headers this server acts on. A name that is absent is undefined. */
export type RequestHead = {
  host: string | undefined;
  contentType: string | undefined;
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  acceptEncoding: string | undefined;
  origin: string | undefined;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** Addresses that proxies have added, the last one last. */
  forwardedFor: string | undefined;
  traceParent: string | undefined;
  /** What the client calls its session. */
  session: string | undefined;
  /** Its target asks for a member `trust` beside each result. */
  showsTrust?: true;
  /** A proxy has passed it on, and says so. */
  isForwarded?: true;
  /** More than one Host header: the request names two networks (RFC 9112 3.2 asks for 400). */
  hasTwoHosts: boolean;
};

/**
 * Picks the known headers out of node's flat `rawHeaders` in one pass. `IncomingMessage.headers` would build
 * an object of all of them first, which costs as much as the rest of the routing.
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

/** Beginning of the names of headers that proxies add without a standard. */
const FORWARDED = 'x-forwarded-';

/** Whether proxies alone send this header. */
function isOfProxies(name: string): boolean {
  switch (name.length) {
    case 3:
      return isNamed(name, 'Via', 'via');
    case 9:
      return isNamed(name, 'Forwarded', 'forwarded') || isNamed(name, 'X-Real-IP', 'x-real-ip');
    default:
      // The dash at its place rules out nearly all others without a text being made.
      return (
        name.length > FORWARDED.length &&
        name.charAt(FORWARDED.length - 1) === '-' &&
        name.slice(0, FORWARDED.length).toLowerCase() === FORWARDED
      );
  }
}

const SESSION_HEADER = 'x-portcullis-session';
/** Characters of a session's name that tell it from others. */
const MAX_SESSION_LENGTH = 128;

function cutSession(name: string): string | undefined {
  return name === '' ? undefined : name.slice(0, MAX_SESSION_LENGTH);
}

/** Whether the query of a target asks for a member `trust` beside each result. */
export function readTrustParameter(target: string): boolean {
  const query = target.indexOf('?');
  return query >= 0 && new URLSearchParams(target.slice(query)).get('trust') === '1';
}

/** The session that the query of a target names: browsers cannot set headers of a WebSocket. */
export function readSessionParameter(target: string): string | undefined {
  const query = target.indexOf('?');
  return query < 0 ? undefined : cutSession(new URLSearchParams(target.slice(query)).get('session') ?? '');
}

function isNamed(name: string, usual: string, lowerCase: string): boolean {
  return name === usual || name === lowerCase || name.toLowerCase() === lowerCase;
}

/** A path of the service: `/v3/<key>`, or `/<network>/v3/<key>` whatever the host is; `/ws` comes before `/v3` for WebSockets. */
export type KeyedRoute = {
  readonly to: 'http' | 'webSocket';
  /** As it stands in the path; undefined where the host says which network is meant. */
  readonly network: string | undefined;
  /** Undefined when the path ends where the key should be. */
  readonly key: string | undefined;
};

/** Where a request target leads. */
export type Route = KeyedRoute | { readonly to: 'openRpc' | 'live' | 'ready' } | { readonly to: 'nothing' };

const OPEN_RPC: Route = { to: 'openRpc' };
const LIVE: Route = { to: 'live' };
const READY: Route = { to: 'ready' };
const NOTHING: Route = { to: 'nothing' };
/**
 * Nothing is decoded or normalized: a name is what the configuration may call a network, but for the two words that the path
 * begins with otherwise.
 */
const KEYED_PATH = /^(?:\/(?!(?:ws|v3)\/)([A-Za-z0-9_-]{1,64}))?(\/ws)?\/v3(?:\/([^/]*))?$/;

/** Finds the route of an origin-form path; a query is ignored. */
export function findRoute(target: string): Route {
  const path = withoutQuery(target);
  const keyed = KEYED_PATH.exec(path);
  if (keyed !== null) {
    const [, network, webSocket, key] = keyed;
    const to = webSocket === undefined ? 'http' : 'webSocket';
    // A copy: V8 compares strings that are cut out of others in its runtime, and the key is looked up for every call.
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
 * Splits the absolute form (`http://host/path`, RFC 9112 3.2.2), which every server must accept and in which the host
 * takes the place of the Host header. Any other form is returned as it is.
 */
export function splitTarget(target: string): { readonly path: string; readonly host: string | undefined } {
  if (target.charCodeAt(0) === 47 || !/^https?:\/\//i.test(target)) return { path: target, host: undefined };
  const authority = target.indexOf('//') + 2;
  const slash = target.indexOf('/', authority);
  if (slash < 0) return { path: '/', host: target.slice(authority) };
  return { path: target.slice(slash), host: target.slice(authority, slash) };
}
