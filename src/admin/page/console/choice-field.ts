import { createProse, element } from '../dom.ts';
import { createId, type Field, type FieldFacts } from './field.ts';

/** Form field of a boolean parameter: true, false, or (if the parameter is optional) not set. */
export class ChoiceField implements Field {
  readonly root: HTMLElement;
  readonly #select: HTMLSelectElement;

  constructor({ name, required, description }: FieldFacts) {
    const id = createId(name);
    const choices = required ? ['false', 'true'] : ['', 'false', 'true'];
    const options = choices.map((value) => element('option', { value }, value === '' ? 'not set' : value));
    this.#select = element('select', { id, 'aria-describedby': `${id}-help` }, ...options);
    const label = element(
      'label',
      { for: id },
      name,
      element('span', { class: 'quiet' }, required ? '' : ' optional'),
    );
    this.root = element('div', { class: 'field' }, element('div', { class: 'label' }, label), this.#select);
    this.root.append(element('p', { class: 'help', id: `${id}-help` }, ...createProse(description)));
  }

  read(): unknown {
    return this.#select.value === '' ? undefined : this.#select.value === 'true';
  }

  write(value: unknown): boolean {
    this.#select.value = value === undefined || value === null ? '' : String(value);
    return value === undefined || value === null || typeof value === 'boolean';
  }
}
