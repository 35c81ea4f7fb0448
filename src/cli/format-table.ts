const GAP = '  ';

/** Columns as wide as their longest cell, one line a row, nothing at the end of a line. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.map((_, column) => column) ?? [];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${widths
          .map((width, i) => (row[i] ?? '').padEnd(width))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}
