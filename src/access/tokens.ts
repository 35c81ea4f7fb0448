import type { JWTVerifyGetKey } from 'jose';
import { Lru } from '../util/lru.ts';
import { readErrorCode } from '../util/system-error.ts';
import type { TokenIssuer } from './options.ts';

/** Verifies tokens of a named issuer. */
export interface TokenVerifier {
  /**
   * Verifies a token.
   * @returns undefined for a valid token. Rejects when the issuer's keys are unavailable.
   */
  verify(issuer: string, token: string): Promise<'invalidToken' | undefined> | undefined;
}

const ALGORITHMS = ['RS256', 'ES256'];
/** Tolerated difference between the clocks of two machines, seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** jose's error codes for invalid tokens. */
const BAD_TOKEN: ReadonlySet<unknown> = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
]);
/** Duration for which a valid token is cached and not verified again, ms. Verifying a signature takes 0.1 ms. */
const GOOD_MS = 10_000;
/** Maximum total length of cached tokens, UTF-16 units. */
const MEMORY = 4 * 1024 * 1024;

/**
 * Creates a verifier of JSON Web Tokens (RFC 7519). Key sets are loaded only from the configured locations, never from a URL in a token.
 * @param now monotonic clock, ms
 */
export function createTokenVerifier(
  issuers: Readonly<Record<string, TokenIssuer>>,
  now: () => number = () => performance.now(),
): TokenVerifier {
  return new JwtVerifier(issuers, now);
}

/** Expiry of a valid token, Unix ms, and length of its text. */
type GoodToken = { readonly expiresAt: number; readonly length: number };

class JwtVerifier implements TokenVerifier {
  readonly #issuers: Readonly<Record<string, TokenIssuer>>;
  readonly #keySets = new Map<string, Promise<JWTVerifyGetKey>>();
  readonly #good: Lru<string, GoodToken> = new Lru(MEMORY, GOOD_MS, undefined, ({ length }) => length);

  readonly #now: () => number;

  constructor(issuers: Readonly<Record<string, TokenIssuer>>, now: () => number) {
    this.#issuers = issuers;
    this.#now = now;
  }

  verify(issuer: string, token: string): Promise<'invalidToken' | undefined> | undefined {
    const good = this.#good.get(`${issuer} ${token}`);
    if (good !== undefined && Date.now() < good.expiresAt) return undefined;
    return this.#check(issuer, token);
  }

  async #check(name: string, token: string): Promise<'invalidToken' | undefined> {
    const issuer = this.#issuers[name];
    if (issuer === undefined) return 'invalidToken';
    // The library is loaded at the first token, because loading takes 15 ms.
    const { jwtVerify } = await import('jose');
    try {
      const keySet = await this.#openKeySet(name, issuer);
      const { payload } = await jwtVerify(token, keySet, {
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp'],
        ...(issuer.issuer !== undefined && { issuer: issuer.issuer }),
        ...(issuer.audience !== undefined && { audience: issuer.audience }),
      });
      const expiresAt = (payload.exp as number) * 1_000;
      this.#good.set(`${name} ${token}`, { expiresAt, length: token.length });
      return undefined;
    } catch (error) {
      // Any other error means that the issuer's keys are unavailable, not that the token is invalid.
      if (BAD_TOKEN.has(readErrorCode(error))) return 'invalidToken';
      throw new Error('the keys of a token issuer are not available');
    }
  }

  #openKeySet(name: string, { jwks }: TokenIssuer): Promise<JWTVerifyGetKey> {
    const known = this.#keySets.get(name);
    if (known !== undefined) return known;
    const opened = import('./key-sets.ts').then(({ openKeySet }) => openKeySet(jwks, this.#now));
    this.#keySets.set(name, opened);
    return opened;
  }
}
