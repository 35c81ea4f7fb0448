/** A measured value and its target. */
export type Figure = {
  readonly name: string;
  readonly value: number;
  /** Absent for a figure without a target. */
  readonly atLeast?: number;
  readonly below?: number;
  readonly unit?: string;
  /** Subject of the value, where the name does not state it. */
  readonly of?: string;
  readonly digits?: number;
};

/** Whether a figure meets its target; one that could not be measured (NaN) does not. */
export function isMet({ value, atLeast, below }: Figure): boolean {
  return (atLeast === undefined || value >= atLeast) && (below === undefined || value < below);
}

/** Describes a figure, as `lowest 0.95 (sha1_divs)`. */
export function describeFigure({ name, value, of, unit = '', digits = 2 }: Figure): string {
  return `${name} ${value.toFixed(digits)}${unit}${of === undefined ? '' : ` (${of})`}`;
}

export function describeTarget({ name, atLeast, below, unit = '' }: Figure): string {
  return atLeast === undefined ? `${name} < ${below}${unit}` : `${name} >= ${atLeast}${unit}`;
}

/** Prints the bench's last line; the process fails when a figure misses its target. */
export function concludeWith(figures: readonly Figure[]): void {
  const isChecked = figures.some(({ atLeast, below }) => atLeast !== undefined || below !== undefined);
  const missed = figures.filter((figure) => !isMet(figure));
  const verdict = missed.length === 0 ? 'targets met' : `MISSED: ${missed.map(describeTarget).join(', ')}`;
  console.log(`${figures.map(describeFigure).join(', ')}${isChecked ? `; ${verdict}` : ''}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** Whether the raw figures are to be printed instead of a table. */
export const WANTS_JSON: boolean = process.argv.includes('--json');

/** Formats rows under a header in columns: the first aligned left, figures right. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
