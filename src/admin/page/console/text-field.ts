import { createProse, element, setText } from '../dom.ts';
import { createId, type Field, FieldProblem } from './field.ts';

/** Kind of values that are entered as text. */
export type TextKind = {
  /** @throws Error that names the expected form */
  parse(text: string): unknown;
  format(value: unknown): string;
  /** Explanation below the field. */
  readonly help: string;
  readonly placeholder: string;
  /** Whether the field has several lines. */
  readonly isLong: boolean;
  /** Whether the field converts between decimal and hex notation. */
  readonly isNumber: boolean;
  /** Whether the empty text is a value, instead of a missing value. */
  readonly isEmptyValid: boolean;
  /** Values that a click enters. */
  readonly choices: readonly string[];
};

type TextFieldFacts = {
  readonly name: string;
  readonly required: boolean;
  /** Text behind the name: its type. */
  readonly hint: string;
  readonly kind: TextKind;
};

/** Maximum characters of a converted number beside the name of its field. */
const MAX_MEANING = 36;

/** Field of a value that is entered as text: numbers, hex, block references, JSON. */
export class TextField implements Field {
  readonly root: HTMLElement;
  readonly #facts: TextFieldFacts;
  readonly #input: HTMLInputElement | HTMLTextAreaElement;
  readonly #problem: HTMLElement = element('p', { class: 'problem', role: 'alert' });
  readonly #meaning: HTMLElement = element('span', { class: 'meaning' });

  constructor(facts: TextFieldFacts) {
    const { name, hint, kind } = facts;
    const id = createId(name);
    const attributes = {
      id,
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      'aria-describedby': `${id}-help ${id}-problem`,
      placeholder: kind.placeholder,
      ...(kind.isLong && { rows: '3' }),
    };
    this.#facts = facts;
    this.#input = kind.isLong
      ? element('textarea', attributes)
      : element('input', { type: 'text', ...attributes });
    this.#problem.id = `${id}-problem`;
    const label = element(
      'label',
      { for: id },
      name,
      element('span', { class: 'quiet' }, hint === '' ? '' : ` ${hint}`),
    );
    const help = element('p', { class: 'help', id: `${id}-help` }, ...createProse(kind.help));
    this.root = element('div', { class: 'field' }, element('div', { class: 'label' }, label, this.#meaning));
    this.root.append(this.#input, ...this.#createChoices(kind.choices), help, this.#problem);
    this.#input.addEventListener('input', () => this.#say());
  }

  /** @throws FieldProblem for invalid text, or a missing required value */
  read(): unknown {
    const text = this.#input.value;
    const { name, required, kind } = this.#facts;
    try {
      if (text.trim() !== '' || kind.isEmptyValid) return kind.parse(text);
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
    this.#input.value = this.#facts.kind.format(value);
    this.#say();
    return true;
  }

  get text(): string {
    return this.#input.value.trim();
  }

  /** Sets whether the value comes from other fields. */
  lock(isLocked: boolean): void {
    this.#input.readOnly = isLocked;
  }

  /** Clears an earlier problem, and displays a decimal number in hex, or a hex number in decimal. */
  #say(): void {
    setText(this.#problem, '');
    this.#input.removeAttribute('aria-invalid');
    const text = this.#input.value.trim();
    const meaning = this.#facts.kind.isNumber ? convert(text) : '';
    setText(this.#meaning, meaning.length > MAX_MEANING ? '' : meaning);
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
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return `= ${BigInt(text).toLocaleString('en')}`;
  return '';
}
