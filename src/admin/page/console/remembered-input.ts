import { type Attributes, element } from '../dom.ts';

/** Creates an input whose text is stored only in the session storage of the tab, until the tab is closed. */
export function createRememberedInput(
  item: string,
  attributes: Attributes,
  onChange: () => void,
  byDefault = '',
): HTMLInputElement {
  const input = element('input', {
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    ...attributes,
  });
  input.value = sessionStorage.getItem(item) ?? byDefault;
  input.addEventListener('input', () => {
    if (input.value === byDefault) sessionStorage.removeItem(item);
    else sessionStorage.setItem(item, input.value);
    onChange();
  });
  return input;
}
