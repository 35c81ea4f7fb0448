export const DAY_MS = 86_400_000;

/** Formats a day since 1970 as `2026-12-01`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the days since 1970 of a text such as `2026-12-01`; undefined if there is no such day. */
export function parseDay(text: string): number | undefined {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : Number.NaN;
  // `Date.parse` accepts 31 February.
  return Number.isInteger(day) && formatDay(day) === text ? day : undefined;
}
