const GAP = '  ';

/** Formats a table: each column is as wide as its longest cell, each row is one line without trailing blanks. */
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
