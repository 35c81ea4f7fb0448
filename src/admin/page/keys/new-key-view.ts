import { copyTextOf } from '../copy-text.ts';
import { element } from '../dom.ts';
import type { NewKey } from './wire.ts';

/** Creates the texts of a new key and its secret, each with a copy button. */
export function createNewKeyView({ key, secret }: Pick<NewKey, 'key' | 'secret'>): readonly HTMLElement[] {
  const says = element(
    'p',
    { class: 'old' },
    secret === undefined
      ? 'Copy the key now: it cannot be shown again.'
      : 'Copy the key and the secret now: they cannot be shown again.',
  );
  return [says, createValue('Key', key), ...(secret === undefined ? [] : [createValue('Secret', secret)])];
}

function createValue(name: string, value: string): HTMLElement {
  const text = element('code', { class: 'value-once' }, value);
  const copy = element('button', { type: 'button', 'aria-label': `Copy the ${name.toLowerCase()}` }, 'Copy');
  copy.addEventListener('click', () => void copyTextOf(text, copy));
  return element(
    'div',
    { class: 'new-value', role: 'group', 'aria-label': name },
    element('span', { class: 'quiet' }, name),
    text,
    copy,
  );
}
