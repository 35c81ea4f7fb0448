/** Optional credentials that a request carries in addition to its key. */
export type Credentials = {
  /** Secret of the key, sent as the password of HTTP Basic. */
  readonly secret?: string;
  /** HTTP Bearer token of the issuer in the key's settings. */
  readonly token?: string;
};

/**
 * Formats the Authorization header; a key may require both credentials.
 * @throws Error for a secret with characters beyond Latin-1
 */
export function formatAuthorization({ secret, token }: Credentials): string | undefined {
  const parts = [
    ...(secret === undefined ? [] : [`Basic ${btoa(`:${secret}`)}`]),
    ...(token === undefined ? [] : [`Bearer ${token}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}
