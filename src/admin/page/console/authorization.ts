/** What a request may bring beside a key. */
export type Credentials = {
  /** Of the key, as the password of HTTP Basic. */
  readonly secret?: string;
  /** HTTP Bearer: a token of an issuer that the key names. */
  readonly token?: string;
};

/** The header's value; a key may ask for both. @throws Error for a secret beyond Latin-1 */
export function formatAuthorization({ secret, token }: Credentials): string | undefined {
  const parts = [
    ...(secret === undefined ? [] : [`Basic ${btoa(`:${secret}`)}`]),
    ...(token === undefined ? [] : [`Bearer ${token}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}
