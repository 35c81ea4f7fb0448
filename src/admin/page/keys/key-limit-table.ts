import { element, setAttribute, setText } from '../dom.ts';
import { formatCompact, formatCount, formatDate } from '../format.ts';
import { KeyedList, type Part } from '../keyed-list.ts';
import { Sparkline } from '../sparkline.ts';
import type { CallChart } from './daily-calls.ts';
import { describeLimits } from './limits.ts';
import type { ListedKey } from './wire.ts';

/** Maximum number of displayed keys. */
export const MAX_DISPLAYED_KEYS = 100;

/** A key, and its calls by day if they are known. */
export type KeyEntry = { readonly key: ListedKey; readonly calls: CallChart | undefined };

/** Changes that a row offers. */
export type KeyActions = { readonly [K in 'update' | 'rotate' | 'revoke']: (key: ListedKey) => void };

export type KeyLimitTableFacts = {
  readonly entries: readonly KeyEntry[];
  /** Whether the credential may change keys. */
  readonly canChange: boolean;
};

const COLUMNS = ['Key', 'State', 'Calls in 30 days', 'Limits', 'Changes'] as const;

/** Table of keys with their limits and calls, and buttons that change them. */
export class KeyLimitTable implements Part<KeyLimitTableFacts> {
  readonly root: HTMLElement;
  readonly #table: HTMLElement;
  readonly #rows: KeyedList<KeyEntry>;
  readonly #rest: HTMLElement = element('p', { class: 'empty' });

  constructor(actions: KeyActions) {
    const heads = COLUMNS.map((label) => element('th', { scope: 'col', role: 'columnheader' }, label));
    const body = element('tbody', { role: 'rowgroup' });
    this.#table = element(
      'table',
      { role: 'table', 'aria-label': 'Keys', class: 'keys' },
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
      body,
    );
    this.root = element('div', { class: 'table' }, this.#table, this.#rest);
    this.#rows = new KeyedList(
      body,
      ({ key }) => key.id,
      () => new KeyRow(actions),
    );
  }

  update({ entries, canChange }: KeyLimitTableFacts): void {
    this.#rows.update(entries.slice(0, MAX_DISPLAYED_KEYS));
    this.#table.hidden = entries.length === 0;
    this.#table.classList.toggle(
      'no-calls',
      entries.every(({ calls }) => calls === undefined),
    );
    this.#table.classList.toggle('no-changes', !canChange);
    const rest = entries.length - MAX_DISPLAYED_KEYS;
    setText(this.#rest, rest > 0 ? `… and ${formatCount(rest)} more: find them by name or id` : '');
    this.#rest.hidden = rest <= 0;
  }
}

class KeyRow implements Part<KeyEntry> {
  readonly root: HTMLTableRowElement;
  readonly #name: HTMLElement = element('strong');
  readonly #id: HTMLElement = element('code', { class: 'quiet' });
  readonly #state: HTMLElement = element('span');
  readonly #until: HTMLElement = element('div', { class: 'note' });
  readonly #limits: HTMLElement = element('span');
  readonly #total: HTMLElement = element('span');
  readonly #chart: Sparkline = new Sparkline();
  readonly #buttons: readonly { readonly verb: string; readonly button: HTMLButtonElement }[];
  #key: ListedKey | undefined;

  constructor(actions: KeyActions) {
    this.#buttons = (['update', 'rotate', 'revoke'] as const).map((action) => {
      const verb = { update: 'Change', rotate: 'Rotate', revoke: 'Revoke' }[action];
      const button = element('button', { type: 'button', class: 'small' }, verb);
      button.addEventListener('click', () => this.#key && actions[action](this.#key));
      return { verb, button };
    });
    const contents: readonly (readonly Element[])[] = [
      [this.#name, this.#id],
      [this.#state, this.#until],
      [this.#total, this.#chart.root],
      [this.#limits],
      [element('div', { class: 'row-buttons' }, ...this.#buttons.map(({ button }) => button))],
    ];
    const cells = contents.map((parts, i) =>
      element(
        'td',
        { role: 'cell', 'data-label': COLUMNS[i] ?? '' },
        element('div', { class: 'key-cell' }, ...parts),
      ),
    );
    this.root = element('tr', { role: 'row' }, ...cells);
  }

  update({ key, calls }: KeyEntry): void {
    this.#key = key;
    const { id, name, state, createdAt, revokedAt } = key;
    setText(this.#name, name);
    setText(this.#id, id);
    setAttribute(this.#id, 'title', `created ${formatDate(Date.parse(createdAt))}`);
    setText(this.#state, { open: '● open', expired: '○ expired', revoked: '✕ revoked' }[state]);
    setAttribute(this.#state, 'class', `pill ${{ open: 'ok', expired: 'warn', revoked: 'quiet' }[state]}`);
    const note = state === 'revoked' ? describeTime(revokedAt) : describeEarlier(key, Date.now());
    setText(this.#until, note);
    this.#until.hidden = note === '';
    this.#showLimits(key);
    this.#showCalls(calls);
    for (const { verb, button } of this.#buttons) {
      setAttribute(button, 'aria-label', `${verb} ${name}`);
      button.hidden = state === 'revoked';
    }
  }

  /** A key without calls has no chart. */
  #showCalls(calls: CallChart | undefined): void {
    const { total = 0, chart } = calls ?? {};
    setText(this.#total, calls === undefined ? '' : total === 0 ? 'none' : formatCompact(total));
    setAttribute(this.#total, 'title', chart?.label ?? '');
    this.#chart.root.toggleAttribute('hidden', total === 0);
    if (chart !== undefined) this.#chart.update(chart);
  }

  #showLimits({ settings }: ListedKey): void {
    const limits = describeLimits(settings);
    const text = limits.length === 0 ? 'none' : limits.map((limit) => limit.text).join(' · ');
    setText(this.#limits, text);
    setAttribute(this.#limits, 'title', limits.map(({ title }) => title).join('\n'));
    setAttribute(this.#limits, 'class', limits.length === 0 ? 'quiet' : '');
  }
}

function describeTime(time: string | undefined): string {
  return time === undefined ? '' : formatDate(Date.parse(time));
}

/** Describes until when the value before a rotation remains valid. */
function describeEarlier({ keys }: ListedKey, now: number): string {
  const ends = keys
    .map(({ validUntil }) => (validUntil === undefined ? 0 : Date.parse(validUntil)))
    .filter((end) => end > now);
  return ends.length === 0 ? '' : `earlier value until ${formatDate(Math.max(...ends))}`;
}
