/** Maximum pause accepted from a node, ms. */
const MAX_RETRY_AFTER = 3_600_000;

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** Matches a number with or without a unit, including Go durations of one part; a number without a unit is seconds. */
const DURATION = /^(\d{1,9}(?:\.\d{1,9})?)\s*(?:(ms|s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?)?)?$/i;
const PROSE =
  /\b(?:try again|retry)(?: after| in)?:? (\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|m|h)?)(?![a-z])(?:econds?|inutes?)?/i;

/**
 * Returns the pause that a node requests, ms, or undefined if the error names none or a pause of 0. Sources: Infura's `backoff_seconds` (in `data` or
 * in `data.rate`), Chainstack's `try_again_in`, or the text of the message.
 */
export function readRequestedPause(data: unknown, message: string): number | undefined {
  const delay =
    parseDuration(readField(readField(data, 'rate'), 'backoff_seconds')) ??
    parseDuration(readField(data, 'backoff_seconds')) ??
    parseDuration(readField(data, 'try_again_in')) ??
    parseDuration(PROSE.exec(message)?.[1]);
  return delay === undefined || delay === 0 ? undefined : Math.min(delay, MAX_RETRY_AFTER);
}

function parseDuration(value: unknown): number | undefined {
  const match =
    typeof value === 'string' || typeof value === 'number' ? DURATION.exec(`${value}`.trim()) : null;
  if (match === null) return undefined;
  return Math.ceil(Number(match[1]) * (MILLISECONDS[(match[2] ?? 's').toLowerCase()] ?? 1_000));
}

function readField(holder: unknown, field: string): unknown {
  return typeof holder === 'object' && holder !== null
    ? (holder as Readonly<Record<string, unknown>>)[field]
    : undefined;
}
