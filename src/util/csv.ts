/** First characters that make a spreadsheet read a cell as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** Characters because of which a cell is quoted (RFC 4180). */
const QUOTED = /[",\r\n]/;

/**
 * Formats rows as CSV (RFC 4180, lines end with LF). A text that a spreadsheet would read as a formula gets a leading apostrophe.
 * @param rows cells of the lines, the titles first
 */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\n`).join('');
}

function formatCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
