import { CREDITS_HEADER } from './credits-header.ts';
import type { CorsOptions } from './options.ts';

/** Headers of an answer that a web page may read. */
const EXPOSED_HEADERS = `Retry-After, ${CREDITS_HEADER}, X-Portcullis-Trust`;
const PREFLIGHT_MAX_AGE_SECONDS = '86400';
/** Request headers that the service reads. A preflight response always allows the headers that the service reads. */
const READ_HEADERS: readonly string[] = [
  'Content-Type',
  'Content-Encoding',
  'Authorization',
  'Traceparent',
  'X-Portcullis-Session',
];
/** Maximum number of additional request headers that a preflight response allows; `MAX_ECHOED_BYTES` limits the total bytes of their names. */
const MAX_ECHOED_HEADERS = 64;
const MAX_ECHOED_BYTES = 2 * 1024;
/** Maximum number of requested header names examined per preflight. */
const MAX_REQUESTED_HEADERS = 256;
/** Matches the name of a header (RFC 9110 5.6.2, token), except `*`, which would be a wildcard. */
const HEADER_NAME = /^(?!\*$)[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Policy that decides which browser pages may read answers (Fetch standard, CORS protocol). */
export class CorsPolicy {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor(options: CorsOptions) {
    this.#any = options.origins.includes('*');
    this.#origins = new Set(options.origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * Whether a page with this Origin header may read the answer. A request without an Origin header is allowed, because it does not come from a page
   * of another origin.
   */
  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#any || this.#origins.has(origin.toLowerCase());
  }

  /** Adds the CORS headers of an answer to a request with this Origin header. */
  addHeaders(headers: string[], origin: string): void {
    headers.push('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (this.#any) {
      headers.push('Access-Control-Allow-Origin', '*');
    } else {
      headers.push('Vary', 'Origin');
      if (this.allows(origin)) headers.push('Access-Control-Allow-Origin', origin);
    }
  }

  /**
   * Returns the headers of a preflight response. Only the origin decides about access. Additional headers, which SDKs send, are allowed and ignored.
   * @param requested value of Access-Control-Request-Headers
   */
  preflightHeaders(origin: string | undefined, requested: string | undefined): string[] {
    const headers = ['Allow', 'POST, OPTIONS'];
    if (origin === undefined) return headers;
    this.addHeaders(headers, origin);
    if (this.allows(origin)) {
      headers.push('Access-Control-Allow-Methods', 'POST');
      headers.push('Access-Control-Allow-Headers', listAllowedHeaders(requested).join(', '));
      headers.push('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_SECONDS);
    }
    return headers;
  }
}

/** Returns the headers that the service reads, and the valid requested names up to the bounds above. */
function listAllowedHeaders(requested: string | undefined): readonly string[] {
  const allowed = new Map(READ_HEADERS.map((name) => [name.toLowerCase(), name]));
  let bytes = 0;
  for (const part of requested?.split(',', MAX_REQUESTED_HEADERS) ?? []) {
    const name = part.trim().toLowerCase();
    if (allowed.has(name) || !HEADER_NAME.test(name)) continue;
    bytes += name.length;
    if (bytes > MAX_ECHOED_BYTES || allowed.size === READ_HEADERS.length + MAX_ECHOED_HEADERS) break;
    allowed.set(name, name);
  }
  return [...allowed.values()];
}
