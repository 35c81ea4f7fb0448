import type { KeyRecord } from './key-record.ts';

/**
 * Returns until when this form of the key is valid, or undefined if it is not valid now.
 * @param hash SHA-256 of the presented key
 * @param now Unix ms
 */
export function findOpening(
  record: KeyRecord,
  hash: string,
  now: number,
): { readonly until: number } | undefined {
  const form = record.hashes.find((one) => one.hash === hash);
  if (form === undefined || record.revokedAt !== undefined) return undefined;
  const ends = [form.until, record.settings.expiresAt].map((text) =>
    text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text),
  );
  const until = Math.min(...ends);
  return until > now ? { until } : undefined;
}
