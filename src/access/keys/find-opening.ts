import type { KeyRecord } from './key-record.ts';

/** Whether this form of the key opens at this time (Unix milliseconds), and until when it will. */
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
