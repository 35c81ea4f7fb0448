import { createProse, element, setText } from '../dom.ts';
import { createId, type Field, type FieldFacts, FieldProblem } from './field.ts';
import { listAlternatives } from './open-rpc.ts';
import { describeSchema, formatValue, isQuantity, listChoices, parseValue } from './values.ts';

/** Field of a value that is entered as text: numbers, hex, block references, JSON. */
export class TextField implements Field {
  readonly root: HTMLElement;
  readonly #facts: FieldFacts;
  readonly #input: HTMLInputElement | HTMLTextAreaElement;
  readonly #problem: HTMLElement = element('p', { class: 'problem', role: 'alert' });
  readonly #meaning: HTMLElement = element('span', { class: 'meaning' });

  constructor(facts: FieldFacts) {
    const { name, required, description, schema } = facts;
    const id = createId(name);
    const alternatives = listAlternatives(schema);
    const isJson = alternatives.every(({ type }) => type === 'object' || type === 'array');
    const isLong = isJson || alternatives.some(({ title }) => title === 'data');
    const attributes = {
      id,
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      'aria-describedby': `${id}-help ${id}-problem`,
      placeholder: isJson ? 'JSON' : required ? '' : 'not set',
      ...(isLong && { rows: '3' }),
    };
    this.#facts = facts;
    this.#input = isLong
      ? element('textarea', attributes)
      : element('input', { type: 'text', ...attributes });
    this.#problem.id = `${id}-problem`;
    const label = element(
      'label',
      { for: id },
      name,
      element('span', { class: 'quiet' }, required ? '' : ' optional'),
    );
    const help = element(
      'p',
      { class: 'help', id: `${id}-help` },
      ...createProse(description || describeSchema(schema)),
    );
    this.root = element('div', { class: 'field' }, element('div', { class: 'label' }, label, this.#meaning));
    this.root.append(this.#input, ...this.#createChoices(listChoices(schema)), help, this.#problem);
    this.#input.addEventListener('input', () => this.#say());
  }

  /** @throws FieldProblem for invalid text, or a missing required value */
  read(): unknown {
    const text = this.#input.value.trim();
    const { name, required, schema } = this.#facts;
    try {
      if (text !== '') return parseValue(text, schema);
      if (!required) return undefined;
      throw new Error('a value is required');
    } catch (error) {
      const { message } = error as Error;
      throw new FieldProblem(name, message, () => {
        setText(this.#problem, message);
        this.#input.setAttribute('aria-invalid', 'true');
        this.#input.focus();
      });
    }
  }

  write(value: unknown): boolean {
    this.#input.value = formatValue(value);
    this.#say();
    return true;
  }

  /** Clears an earlier problem, and displays a decimal number in hex, or a hex number in decimal. */
  #say(): void {
    setText(this.#problem, '');
    this.#input.removeAttribute('aria-invalid');
    const text = this.#input.value.trim();
    const isNumber = listAlternatives(this.#facts.schema).some(isQuantity);
    setText(this.#meaning, isNumber ? convert(text) : '');
  }

  #createChoices(choices: readonly string[]): HTMLElement[] {
    if (choices.length === 0) return [];
    const buttons = choices.map((choice) => {
      const button = element('button', { type: 'button', class: 'chip' }, choice);
      button.addEventListener('click', () => this.write(choice));
      return button;
    });
    return [element('div', { class: 'chips' }, ...buttons)];
  }
}

/** Converts a number between decimal and hex notation. */
function convert(text: string): string {
  if (/^\d[\d_,]*$/.test(text)) return `= 0x${BigInt(text.replace(/[_,]/g, '')).toString(16)}`;
  if (/^0x[0-9a-f]{1,32}$/i.test(text)) return `= ${BigInt(text).toLocaleString('en')}`;
  return '';
}
