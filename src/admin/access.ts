import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Guesses } from './guesses.ts';
import { isLoopbackHost } from './loopback.ts';
import { AdminRefusal } from './refusal.ts';

/**
 * Access control of the admin server. Requests need the configured key. If no key is configured, only browsers and
 * programs of this machine have access.
 */
export class AdminAccess {
  readonly #keyHash: Buffer | undefined;
  readonly #guesses: Guesses;

  constructor(key: string | undefined, guesses: Guesses) {
    this.#keyHash = key === undefined ? undefined : hashCredential(key);
    this.#guesses = guesses;
  }

  /** Checks a request for the page and its resources. @throws AdminRefusal */
  check(request: IncomingMessage): void {
    this.checkHost(request);
    const { headers, socket } = request;
    if (this.#keyHash !== undefined)
      this.#checkKey(this.#keyHash, headers.authorization, socket.remoteAddress ?? '');
    checkOrigin(request);
  }

  /** Refuses a host name that is not a loopback name, if no key is configured. @throws AdminRefusal */
  checkHost({ headers: { host = '' } }: IncomingMessage): void {
    // After DNS rebinding, a page of another site still sends the name of that site in the Host header.
    if (this.#keyHash === undefined && !isLoopbackHost(host))
      throw new AdminRefusal(403, 'use a loopback name: localhost, 127.0.0.1 or [::1]');
  }

  /** A request without a key does not count as a guess, since browsers send such a request first. */
  #checkKey(keyHash: Buffer, authorization: string | undefined, address: string): void {
    if (authorization !== undefined) {
      this.#guesses.checkAddress(address);
      if (isKey(keyHash, authorization)) return;
      this.#guesses.count(address);
    }
    throw new AdminRefusal(401, 'the key of the admin server is required', {
      'WWW-Authenticate': 'Basic realm="Portcullis", charset="UTF-8"',
    });
  }
}

/**
 * Refuses cross-site requests that may change state, because browsers attach remembered passwords to the requests of any page.
 * @throws AdminRefusal
 */
export function checkOrigin({ method, headers }: IncomingMessage): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    (origin === undefined || origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()) &&
    (site === undefined || site === 'same-origin');
  if (!isOwn) throw new AdminRefusal(403, 'only the status page itself may send this request');
}

const BEARER = /^Bearer +([!-~]+)$/i;
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

function isKey(keyHash: Buffer, authorization: string): boolean {
  const shown = readKey(authorization);
  return shown !== undefined && timingSafeEqual(hashCredential(shown), keyHash);
}

/** Returns the Bearer token, or the Basic password with any user name. */
function readKey(authorization: string): string | undefined {
  const token = readBearer(authorization);
  if (token !== undefined) return token;
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}

/** Returns the Bearer token of an Authorization header; undefined if it has none. */
export function readBearer(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Returns the digest of a credential. Digests have equal length, as `timingSafeEqual` requires. */
export function hashCredential(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
