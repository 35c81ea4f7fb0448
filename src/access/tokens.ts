import type { JWTVerifyGetKey } from 'jose';
import { Lru } from '../util/lru.ts';
import { readErrorCode } from '../util/system-error.ts';
import type { TokenIssuer } from './options.ts';

/** Whether tokens are what the issuer of this name signs. */
export interface TokenVerifier {
  /** @returns undefined for a good one. Rejects when the issuer's keys cannot be had */
  verify(issuer: string, token: string): Promise<'invalidToken' | undefined> | undefined;
}

const ALGORITHMS = ['RS256', 'ES256'];
/** Between clocks of machines. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** What jose says of tokens, by its codes. */
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
/** A token that was good is not checked again for so long: a signature takes 0.1 ms. */
const GOOD_MS = 10_000;
/** Characters of tokens that are remembered, all together. */
const MEMORY = 4 * 1024 * 1024;

/**
 * Checks JSON Web Tokens (RFC 7519) against the key sets of the configuration, which alone says where they are.
 * @param now a monotonic clock in milliseconds
 */
export function createTokenVerifier(
  issuers: Readonly<Record<string, TokenIssuer>>,
  now: () => number = () => performance.now(),
): TokenVerifier {
  return new JwtVerifier(issuers, now);
}

/** When it ends, Unix milliseconds, and how long its text is. */
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
    // At the first token: the library takes 15 ms to load.
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
      // Anything else says nothing about the token: the keys cannot be had.
      if (BAD_TOKEN.has(readErrorCode(error))) return 'invalidToken';
      throw new Error('the keys of an issuer cannot be had');
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
