import { element, setAttribute, setText } from './dom.ts';
import { formatCount } from './format.ts';
import { KeyedList, type Part } from './keyed-list.ts';

/** Content of a table cell. `tone` selects a colour; the text alone must convey the same information. */
export type Cell = {
  readonly text: string;
  readonly tone?: 'ok' | 'warn' | 'bad' | 'quiet';
  readonly title?: string;
};

export type Column<T> = {
  readonly label: string;
  readonly kind?: 'number' | 'code';
  readonly cell: (item: T) => Cell | string;
};

type TableParts<T> = {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T, position: number) => string;
  /** Text displayed instead of rows when there are none. */
  readonly empty: string;
  /** Maximum number of displayed rows. If there are more, the table displays how many are hidden. */
  readonly limit?: number;
};

const DEFAULT_LIMIT = 100;

/** Table that becomes a list of cards in narrow windows. ARIA roles preserve the table structure for screen readers. */
export class Table<T> implements Part<readonly T[]> {
  readonly root: HTMLElement;
  readonly #table: HTMLElement;
  readonly #empty: HTMLElement;
  readonly #rows: KeyedList<T>;
  readonly #limit: number;
  readonly #rest: HTMLElement = element('p', { class: 'empty' });

  constructor({ caption, columns, keyOf, empty, limit = DEFAULT_LIMIT }: TableParts<T>) {
    const heads = columns.map(({ label, kind }) =>
      element('th', { scope: 'col', role: 'columnheader', class: kind ?? '' }, label),
    );
    const body = element('tbody', { role: 'rowgroup' });
    this.#table = element(
      'table',
      { role: 'table', 'aria-label': caption },
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
      body,
    );
    this.#empty = element('p', { class: 'empty' }, empty);
    this.#limit = limit;
    this.root = element('div', { class: 'table' }, this.#table, this.#empty, this.#rest);
    this.#rows = new KeyedList(body, keyOf, () => new Row(columns));
  }

  update(items: readonly T[]): void {
    this.#rows.update(items.slice(0, this.#limit));
    const rest = items.length - this.#limit;
    setText(this.#rest, rest > 0 ? `… and ${formatCount(rest)} more` : '');
    this.#rest.hidden = rest <= 0;
    this.#table.hidden = items.length === 0;
    this.#empty.hidden = items.length > 0;
  }
}

class Row<T> implements Part<T> {
  readonly root: HTMLTableRowElement;
  readonly #cells: readonly { readonly node: HTMLElement; readonly column: Column<T> }[];

  constructor(columns: readonly Column<T>[]) {
    this.#cells = columns.map((column) => ({
      column,
      node: element('td', { role: 'cell', 'data-label': column.label }, element('span')),
    }));
    this.root = element('tr', { role: 'row' }, ...this.#cells.map(({ node }) => node));
  }

  update(item: T): void {
    for (const { node, column } of this.#cells) {
      const value = column.cell(item);
      const { text, tone = '', title = '' } = typeof value === 'string' ? { text: value } : value;
      setText(node.firstElementChild ?? node, text);
      setAttribute(node, 'class', `${column.kind ?? ''} ${tone}`.trim());
      if (title !== '') setAttribute(node, 'title', title);
      else node.removeAttribute('title');
    }
  }
}
