const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_HINT = 'expected a duration such as 250ms, 5s, 1.5m or 2h';

/**
 * Parses a duration such as `250ms`, `5s`, `1.5m`, `2h` or `90d` to milliseconds.
 * @throws RangeError for any other text
 */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new RangeError(DURATION_HINT);
  }
  return Math.round(Number(match[1]) * unit);
}
