const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_HINT = 'expected a duration such as 250ms, 5s, 1.5m, 2h or 1d';

/** Number and unit of a duration. The first letter of a unit determines it, apart from `ms`. */
export const DURATION_PATTERN: RegExp =
  /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$/;

/**
 * Parses a duration such as `250ms`, `5 s`, `30 sec`, `1.5m`, `5 minutes`, `2h` or `90d` to milliseconds.
 * @throws RangeError for any other text
 */
export function parseDuration(text: string): number {
  const [, amount, written = ''] = DURATION_PATTERN.exec(text) ?? [];
  const unit = UNITS[written === 'ms' ? written : written.slice(0, 1)];
  if (unit === undefined) throw new RangeError(DURATION_HINT);
  return Math.round(Number(amount) * unit);
}
