import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from './loopback.ts';
import { Refusal } from './refusal.ts';

/** Who may use the admin server: whoever has the key or, where there is none, this machine's own browsers and programs. */
export class Access {
  readonly #keyHash: Buffer | undefined;

  constructor(key: string | undefined) {
    this.#keyHash = key === undefined ? undefined : hash(key);
  }

  /** @throws Refusal */
  check({ method, headers }: IncomingMessage): void {
    const host = headers.host ?? '';
    if (this.#keyHash === undefined) {
      // A page of another site whose name was made to lead here (DNS rebinding) still has its own name in Host.
      if (!isLoopbackHost(host)) throw new Refusal(403, 'use a loopback name: localhost, 127.0.0.1 or [::1]');
    } else if (!isKey(this.#keyHash, headers.authorization)) {
      throw new Refusal(401, 'the key of the admin server is required', {
        'WWW-Authenticate': 'Basic realm="Portcullis", charset="UTF-8"',
      });
    }
    if (method !== 'GET' && method !== 'HEAD') checkOrigin(headers, host);
  }
}

/** Browsers show passwords they remember to this server on behalf of any page: what changes or sends something is for ours. */
function checkOrigin(headers: IncomingMessage['headers'], host: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    (origin === undefined || origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()) &&
    (site === undefined || site === 'same-origin');
  if (!isOwn) throw new Refusal(403, 'only the page itself may send this');
}

const BEARER = /^Bearer +([!-~]+)$/i;
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

function isKey(keyHash: Buffer, authorization: string | undefined): boolean {
  const shown = authorization === undefined ? undefined : readKey(authorization);
  return shown !== undefined && timingSafeEqual(hash(shown), keyHash);
}

/** A token, or the password of any user. */
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
