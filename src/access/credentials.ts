import { timingSafeEqual } from 'node:crypto';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { hashApiKey } from './keys/api-key.ts';
import type { Terms } from './principal.ts';
import type { TokenVerifier } from './tokens.ts';

/** Maximum length of an Authorization header, in characters. */
const MAX_LENGTH = 8_192;
const SCHEME = /^(basic|bearer) +([A-Za-z0-9+/._~=-]+)$/i;

type Credentials = { readonly secret?: string; readonly token?: string };

/**
 * Checks the credentials that a key requires. A secret is sent as the password of HTTP Basic; the user name is ignored. A token is sent as HTTP
 * Bearer.
 * @param authorization value of the Authorization header, undefined if the request has none
 * @returns the name of the error, or undefined for valid credentials
 */
export function checkCredentials(
  terms: Terms,
  authorization: string | undefined,
  tokens: TokenVerifier,
): PromiseOrValue<'wrongSecret' | 'invalidToken' | undefined> {
  const { secretHash, jwt } = terms;
  if (secretHash === undefined && jwt === undefined) return undefined;
  const { secret, token } = readCredentials(authorization);
  if (secretHash !== undefined && (secret === undefined || !isSecret(secret, secretHash)))
    return 'wrongSecret';
  if (jwt === undefined) return undefined;
  return token === undefined ? 'invalidToken' : tokens.verify(jwt, token);
}

/** Compares a secret with the stored hash in constant time. Both SHA-256 hashes have the same length, as `timingSafeEqual` requires. */
function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(secret), 'hex'), Buffer.from(hash, 'hex'));
}

/** Parses the Authorization header. The header may list a Basic and a Bearer value, because a key may require both a secret and a token. */
function readCredentials(authorization: string | undefined): Credentials {
  if (authorization === undefined || authorization.length > MAX_LENGTH) return {};
  let found: Credentials = {};
  for (const part of authorization.split(',')) {
    const [, scheme = '', value = ''] = SCHEME.exec(part.trim()) ?? [];
    if (scheme.toLowerCase() === 'bearer') found = { ...found, token: value };
    if (scheme.toLowerCase() === 'basic') {
      const text = Buffer.from(value, 'base64').toString('utf8');
      const colon = text.indexOf(':');
      if (colon >= 0) found = { ...found, secret: text.slice(colon + 1) };
    }
  }
  return found;
}
