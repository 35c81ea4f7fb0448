import type { Rate } from '../keys/rate.ts';

/** State of a token bucket at the time `at`, Unix ms. All processes of one machine use the same wall clock. */
export type Bucket = { readonly tokens: number; readonly at: number };

/** Returns the bucket at a later time. If the clock was set back, the bucket earns no tokens, and `at` becomes the new time. */
export function fillBucket(bucket: Bucket | undefined, { perSecond, burst }: Rate, now: number): Bucket {
  if (bucket === undefined) return { tokens: burst, at: now };
  const earned = (Math.max(0, now - bucket.at) / 1_000) * perSecond;
  return { tokens: Math.min(burst, bucket.tokens + earned), at: now };
}

/**
 * Takes up to `wanted` whole tokens.
 * @returns the number of tokens, and the delay until the next token, ms
 */
export function takeTokens(
  bucket: Bucket,
  { perSecond }: Rate,
  wanted: number,
): { readonly bucket: Bucket; readonly tokens: number; readonly waitMs: number } {
  const tokens = Math.min(wanted, Math.floor(bucket.tokens));
  const left = bucket.tokens - tokens;
  const waitMs = left >= 1 ? 0 : ((1 - left) / perSecond) * 1_000;
  return { bucket: { tokens: left, at: bucket.at }, tokens, waitMs };
}
