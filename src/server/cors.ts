import type { CorsOptions } from './options.ts';

const PREFLIGHT_MAX_AGE_SECONDS = '86400';

/** Which browser pages may read answers (Fetch standard, CORS protocol). */
export class CorsPolicy {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor(options: CorsOptions) {
    this.#any = options.origins.includes('*');
    this.#origins = new Set(options.origins.map((origin) => origin.toLowerCase()));
  }

  /** Whether a request with this Origin header may be answered to its page; no header means no browser page. */
  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#any || this.#origins.has(origin.toLowerCase());
  }

  /** Adds what an answer to a request with this Origin header must say. */
  addHeaders(headers: string[], origin: string): void {
    headers.push('Access-Control-Expose-Headers', 'Retry-After, X-Portcullis-Trust');
    if (this.#any) {
      headers.push('Access-Control-Allow-Origin', '*');
    } else {
      headers.push('Vary', 'Origin');
      if (this.allows(origin)) headers.push('Access-Control-Allow-Origin', origin);
    }
  }

  /** Headers of the answer to a preflight request. */
  preflightHeaders(origin: string | undefined): string[] {
    const headers = ['Allow', 'POST, OPTIONS'];
    if (origin === undefined) return headers;
    this.addHeaders(headers, origin);
    if (this.allows(origin)) {
      headers.push('Access-Control-Allow-Methods', 'POST');
      headers.push(
        'Access-Control-Allow-Headers',
        'Content-Type, Content-Encoding, Authorization, Traceparent, X-Portcullis-Session',
      );
      headers.push('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_SECONDS);
    }
    return headers;
  }
}
