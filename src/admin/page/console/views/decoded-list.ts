import { element } from '../../dom.ts';
import type { FieldRow } from '../describe-value.ts';

/** Maximum number of characters that an opened row displays. */
const MAX_FULL = 100_000;

/** Creates a list of names and values. A row with a shortened text opens to show all of it. */
export function createDecodedList(rows: readonly FieldRow[]): HTMLElement {
  const list = element('dl', { class: 'decoded' });
  for (const { name, type, text, note, full } of rows) {
    const shown = element('dd', { class: text.startsWith('0x') ? 'code' : '' });
    if (full === undefined) shown.append(text);
    else {
      const whole = full.length > MAX_FULL ? `${full.slice(0, MAX_FULL)}\n… and more` : full;
      shown.append(
        element(
          'details',
          { class: 'whole' },
          element('summary', {}, text),
          element('pre', { tabindex: '0' }, whole),
        ),
      );
    }
    if (note !== undefined) shown.append(' ', element('span', { class: 'quiet' }, note));
    const term = element('dt', {}, name);
    if (type !== undefined) term.append(' ', element('span', { class: 'type' }, type));
    list.append(element('div', {}, term, shown));
  }
  return list;
}

/** Creates the first line of a view, and the explanation below it. */
export function createHeadline(text: string, note = '', tone: '' | 'bad' = ''): Node[] {
  const line = element('p', { class: `headline ${tone}`.trim() }, text);
  return note === '' ? [line] : [line, element('p', { class: 'help' }, note)];
}

/** Creates the title of a part of a view. */
export function createPartTitle(text: string): HTMLElement {
  return element('h3', { class: 'part' }, text);
}
