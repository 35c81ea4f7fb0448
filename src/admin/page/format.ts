/** Formatting of numbers for people, as plain text. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const FINE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const FINER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** Placeholder of a missing value. */
export const NOTHING = '–';

export function formatCount(value: number | undefined): string {
  return value === undefined ? NOTHING : WHOLE.format(value);
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a large number with few digits, such as 30M. */
export function formatCompact(value: number): string {
  return SHORT.format(value);
}

/** Formats a rate, such as calls per second. */
export function formatRate(value: number | undefined): string {
  if (value === undefined) return NOTHING;
  return (value >= 100 ? WHOLE : value >= 10 ? FINE : FINER).format(value);
}

/** @param share 0 to 1 */
export function formatShare(share: number | undefined): string {
  return share === undefined ? NOTHING : `${(share > 0 && share < 0.1 ? FINER : FINE).format(share * 100)}%`;
}

/** Formats a latency. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return NOTHING;
  if (ms >= 10_000) return `${FINE.format(ms / 1_000)} s`;
  return `${formatRate(ms)} ms`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? WHOLE.format(size) : FINE.format(size)} ${UNITS[unit]}`;
}

/** Formats a duration in its two largest units: 3 d 4 h. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** @param at Unix milliseconds */
export function formatTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? NOTHING : time.toLocaleTimeString('en-GB');
}

/** Formats a date in UTC, like block explorers. */
export function formatDate(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? NOTHING : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Shortens a long text, such as a hash or an address, to its two ends. */
export function shortenMiddle(text: string, head = 8, tail = 6): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}
