const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
];

/** Formats a duration: `12s`, `5m`, `3h`, `20d`; a block from the future is 0 seconds old. */
export function formatSeconds(seconds: number): string {
  const [size, unit] = UNITS.find(([each]) => seconds >= 2 * each) ?? [1, 's'];
  return `${Math.max(0, Math.round(seconds / size))}${unit}`;
}
