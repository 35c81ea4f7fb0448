import { element } from '../../dom.ts';
import { formatCount } from '../../format.ts';
import type { Cell, Column } from '../../table.ts';
import { createId } from '../field.ts';

type RowsColumn<T> = Column<T> & {
  /** Whether long texts of the column take several lines. */
  readonly wraps?: boolean;
};

type RowsParts<T> = {
  readonly caption: string;
  readonly columns: readonly RowsColumn<T>[];
  readonly items: readonly T[];
  /** Creates the content of an opened row. */
  readonly open: (item: T, position: number) => readonly Node[];
};

/** Maximum displayed rows; the JSON text has all of them. */
const MAX_ROWS = 1_000;

/** Creates a table with rows that open to show all fields. The button in the first cell opens a row, by keyboard too; Escape closes it. */
export function createRows<T>({ caption, columns, items, open }: RowsParts<T>): HTMLElement {
  const heads = columns.map(({ label, kind }) =>
    element('th', { scope: 'col', role: 'columnheader', class: kind ?? '' }, label),
  );
  const body = element('tbody', { role: 'rowgroup' });
  for (const [i, item] of items.slice(0, MAX_ROWS).entries()) {
    body.append(createRow(columns, item, () => open(item, i)));
  }
  const table = element(
    'table',
    { role: 'table', 'aria-label': caption },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
    body,
  );
  const root = element(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-label': caption },
    table,
  );
  const rest = items.length - MAX_ROWS;
  if (rest > 0) root.append(element('p', { class: 'empty' }, `… and ${formatCount(rest)} more`));
  return root;
}

function createRow<T>(
  columns: readonly RowsColumn<T>[],
  item: T,
  open: () => readonly Node[],
): HTMLTableRowElement {
  const id = createId('row');
  const cells = columns.map((column, i) => {
    const value = column.cell(item);
    const { text, tone, title = '' }: Cell = typeof value === 'string' ? { text: value } : value;
    const attributes = {
      role: 'cell',
      'data-label': column.label,
      class: `${column.kind ?? ''} ${tone ?? ''} ${column.wraps === true ? 'wraps' : ''}`.trim(),
    };
    const cell = element('td', title === '' ? attributes : { ...attributes, title });
    if (i > 0) cell.append(element('span', {}, text));
    else {
      const button = element('button', { type: 'button', class: 'opener', 'aria-expanded': 'false' }, text);
      button.addEventListener('click', () => toggle(button));
      button.addEventListener('keydown', (event) => closeByEscape(event, button));
      cell.append(button);
    }
    return cell;
  });
  const row = element('tr', { role: 'row' }, ...cells);
  const toggle = (button: HTMLElement): void => {
    const shown = document.getElementById(id);
    button.setAttribute('aria-expanded', String(shown === null));
    if (shown === null) {
      button.setAttribute('aria-controls', id);
      // The content is as wide as the visible part of a table that scrolls.
      const content = element('div', { class: 'opened-content' }, ...open());
      const cell = element('td', { role: 'cell', colspan: String(columns.length) }, content);
      const opened = element('tr', { role: 'row', class: 'opened', id }, cell);
      opened.addEventListener('keydown', (event) => closeByEscape(event, button));
      row.after(opened);
    } else {
      button.removeAttribute('aria-controls');
      shown.remove();
    }
  };
  /** A row may be inside of an opened row, and Escape closes only the innermost one. */
  const closeByEscape = (event: KeyboardEvent, button: HTMLElement): void => {
    if (event.key !== 'Escape' || document.getElementById(id) === null) return;
    event.stopPropagation();
    toggle(button);
    button.focus();
  };
  return row;
}
