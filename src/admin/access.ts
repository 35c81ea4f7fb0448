import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Guesses } from './guesses.ts';
import { isLoopbackHost } from './loopback.ts';
import { AdminRefusal, BoundRefusal } from './refusal.ts';

/**
 * Access control of the admin server. Requests need the configured key. If no key is configured, only browsers and
 * programs of this machine have access.
 */
export class AdminAccess {
  readonly #keyHash: Buffer | undefined;
  readonly #guesses: Guesses;

  /** @param now a monotonic clock in milliseconds */
  constructor(key: string | undefined, now: () => number) {
    this.#keyHash = key === undefined ? undefined : hash(key);
    this.#guesses = new Guesses(now);
  }

  /** @throws AdminRefusal */
  check({ method, headers, socket }: IncomingMessage): void {
    const host = headers.host ?? '';
    if (this.#keyHash === undefined) {
      // After DNS rebinding, a page of another site still sends the name of that site in the Host header.
      if (!isLoopbackHost(host))
        throw new AdminRefusal(403, 'use a loopback name: localhost, 127.0.0.1 or [::1]');
    } else {
      this.#checkKey(this.#keyHash, headers.authorization, socket.remoteAddress ?? '');
    }
    if (method !== 'GET' && method !== 'HEAD') checkOrigin(headers, host);
  }

  /** A request without a key does not count as a guess, since browsers send such a request first. */
  #checkKey(keyHash: Buffer, authorization: string | undefined, address: string): void {
    if (authorization !== undefined) {
      const pause = this.#guesses.findPause(address);
      if (pause !== undefined) {
        throw new BoundRefusal(429, 'admin.guesses', { 'Retry-After': String(pause) });
      }
      if (isKey(keyHash, authorization)) return;
      this.#guesses.count(address);
    }
    throw new AdminRefusal(401, 'the key of the admin server is required', {
      'WWW-Authenticate': 'Basic realm="Portcullis", charset="UTF-8"',
    });
  }
}

/** Refuses cross-site requests that may change state. Browsers attach remembered passwords to the requests of any page. */
function checkOrigin(headers: IncomingMessage['headers'], host: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    (origin === undefined || origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()) &&
    (site === undefined || site === 'same-origin');
  if (!isOwn) throw new AdminRefusal(403, 'only the status page itself may send this request');
}

const BEARER = /^Bearer +([!-~]+)$/i;
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

function isKey(keyHash: Buffer, authorization: string): boolean {
  const shown = readKey(authorization);
  return shown !== undefined && timingSafeEqual(hash(shown), keyHash);
}

/** Returns the Bearer token, or the Basic password with any user name. */
function readKey(authorization: string): string | undefined {
  const token = BEARER.exec(authorization)?.[1];
  if (token !== undefined) return token;
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
