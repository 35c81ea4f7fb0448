import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../admin/loopback.ts';
import { isKey } from './gateway-url.ts';

/** Refusal of an HTTP request, or the caller's key. */
export type HttpAccess =
  | { readonly key: string }
  | {
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

const BEARER = /^Bearer +([!-~]+)$/i;
const ORIGIN = /^https?:\/\/([^/]+)$/i;

/**
 * Checks a request as the specification of the transport requires (Streamable HTTP, "Security Warning"): a web page must not reach a server on this
 * machine, neither from its own origin nor by DNS rebinding. Each request must carry a key of the gateway.
 */
export function checkHttpAccess({ host = '', origin, authorization = '' }: IncomingHttpHeaders): HttpAccess {
  if (!isLoopbackHost(host))
    return { status: 403, message: 'use a loopback name: localhost, 127.0.0.1 or [::1]' };
  if (origin !== undefined && !isLoopbackHost(ORIGIN.exec(origin)?.[1] ?? ''))
    return { status: 403, message: 'pages of other sites may not use this server' };
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined || !isKey(key))
    return {
      status: 401,
      message: 'send a key of the gateway: Authorization: Bearer <key>',
      headers: { 'WWW-Authenticate': 'Bearer realm="Portcullis"' },
    };
  return { key };
}
