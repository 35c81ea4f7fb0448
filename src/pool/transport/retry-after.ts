/** Longest delay that is honored: after this time the node has to be asked anyway. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Parses a `Retry-After` header (RFC 9110, 10.2.3), seconds or a date, into milliseconds; returns undefined when it is neither. */
export function parseRetryAfter(value: string, now: number = Date.now()): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return bound(Number(text) * 1_000);
  // Date.parse accepts far more than HTTP dates: those begin with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : bound(date - now);
}

/** Reads the delay in milliseconds from the `data` of an error in Infura's forms; returns undefined when it has none of them. */
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
