import { createId } from '../console/field.ts';
import { element } from '../dom.ts';

/** Creates a checkbox with its label. */
export function createCheckbox(text: string): {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
} {
  const input = element('input', { type: 'checkbox', id: createId(text) });
  const root = element('div', { class: 'check' }, input, element('label', { for: input.id }, text));
  return { root, input };
}
