import { parseJson } from './values.ts';

/** Request in the fragment of the page's URL. It has no key and no other credentials. */
export type LinkedRequest = {
  readonly network: string;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Name of a built-in interface, or the text of one; empty for none. */
  readonly abi: string;
};

/** A credential of fewer characters may be a part of another word by chance. */
const SHORT = 8;
/** Maximum length of a fragment in characters, because servers and messengers cut longer URLs. */
const MAX_LENGTH = 8_000;

/**
 * Formats a request as a fragment.
 * @param credentials texts that must not be in the URL
 * @returns undefined if the fragment is too long, or contains a credential
 */
export function formatLink(
  { network, method, params, abi }: LinkedRequest,
  credentials: readonly string[],
): string | undefined {
  const text = JSON.stringify([network, method, params, abi]);
  if (credentials.some((credential) => isIn(text, credential))) return undefined;
  const fields = new URLSearchParams({ network, method, params: JSON.stringify(params) });
  if (abi !== '') fields.set('abi', abi);
  const fragment = `#${fields}`;
  return fragment.length > MAX_LENGTH ? undefined : fragment;
}

/** Whether JSON text contains a credential. A short one may be a part of another word, so it counts only as a whole value. */
function isIn(text: string, credential: string): boolean {
  const value = JSON.stringify(credential);
  return credential !== '' && text.includes(credential.length < SHORT ? value : value.slice(1, -1));
}

/** Parses a fragment; undefined if it has no request, or is longer than `MAX_LENGTH`, because a link may come from anybody. */
export function parseLink(fragment: string): LinkedRequest | undefined {
  if (fragment.length > MAX_LENGTH) return undefined;
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const [network, method] = [fields.get('network'), fields.get('method')];
  if (network === null || method === null) return undefined;
  try {
    const params = parseJson(fields.get('params') ?? '[]');
    return Array.isArray(params) ? { network, method, params, abi: fields.get('abi') ?? '' } : undefined;
  } catch {
    return undefined;
  }
}
