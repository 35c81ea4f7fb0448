/** Maximum accepted retry delay, ms; longer delays that a node requests are reduced to it. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Parses a `Retry-After` header (RFC 9110, 10.2.3), which is seconds or a date, into milliseconds; undefined if it is neither. */
export function parseRetryAfter(value: string, now: number = Date.now()): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return bound(Number(text) * 1_000);
  // `Date.parse` accepts many texts that are not HTTP dates. An HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : bound(date - now);
}

/** Reads the retry delay from the `data` of an Infura error (`backoff_seconds`, also under `rate`), ms; undefined if there is none. */
export function readBackoff(data: unknown): number | undefined {
  const seconds =
    readMember(readMember(data, 'rate'), 'backoff_seconds') ?? readMember(data, 'backoff_seconds');
  return typeof seconds === 'number' && seconds >= 0 ? bound(seconds * 1_000) : undefined;
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function bound(milliseconds: number): number {
  return Math.min(Math.max(0, Math.ceil(milliseconds)), MAX_RETRY_AFTER_MS);
}
