import { element, setText } from '../../dom.ts';
import type { ContractInterface } from './contract-interface.ts';
import { parseInterface } from './parse-interface.ts';
import { readStandardInterface, STANDARD_NAMES } from './standard-interfaces.ts';

const NONE = '';
const OWN = 'own';

/** Chooses the interface of the contract: none, a built-in one, or one that the user enters. */
export class InterfaceField {
  readonly root: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #text: HTMLTextAreaElement;
  readonly #own: HTMLElement;
  readonly #problem: HTMLElement = element('p', {
    class: 'problem',
    role: 'alert',
    id: 'console-abi-problem',
  });
  readonly #onChange: () => void;
  #chosen: ContractInterface | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#select = element(
      'select',
      { id: 'console-interface' },
      element('option', { value: NONE }, 'none: hex data'),
      ...STANDARD_NAMES.map((name) => element('option', { value: name }, name)),
      element('option', { value: OWN }, 'a signature or ABI of your own'),
    );
    this.#text = element('textarea', {
      id: 'console-abi',
      rows: '3',
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      placeholder: 'balanceOf(address)(uint256)',
      'aria-describedby': 'console-abi-help console-abi-problem',
    });
    this.#own = element(
      'div',
      { class: 'field' },
      element('label', { for: this.#text.id }, 'Signature or ABI'),
    );
    const help =
      'One signature per line, with functions, events or errors; or ABI JSON; or the artifact of a compiler.';
    this.#own.append(
      this.#text,
      element('p', { class: 'help', id: 'console-abi-help' }, help),
      this.#problem,
    );
    this.root = element(
      'div',
      { class: 'interface' },
      element(
        'div',
        { class: 'field' },
        element('label', { for: this.#select.id }, 'Contract interface'),
        this.#select,
      ),
      this.#own,
    );
    this.#own.hidden = true;
    this.#select.addEventListener('change', () => this.#change());
    this.#text.addEventListener('input', () => this.#change());
  }

  /** The chosen interface; undefined if none is chosen, or its text is not valid. */
  get chosen(): ContractInterface | undefined {
    return this.#chosen;
  }

  /** Name of the built-in interface, or the entered text. */
  read(): string {
    return this.#select.value === OWN ? this.#text.value.trim() : this.#select.value;
  }

  /** Chooses the interface that `read` has returned. */
  write(value: string): void {
    const isNamed = value === NONE || STANDARD_NAMES.includes(value);
    this.#select.value = isNamed ? value : OWN;
    if (!isNamed) this.#text.value = value;
    this.#change();
  }

  #change(): void {
    const { value } = this.#select;
    this.#own.hidden = value !== OWN;
    setText(this.#problem, '');
    this.#text.removeAttribute('aria-invalid');
    try {
      this.#chosen =
        value === NONE ? undefined : value === OWN ? this.#parse() : readStandardInterface(value);
    } catch (error) {
      this.#chosen = undefined;
      setText(this.#problem, (error as Error).message);
      this.#text.setAttribute('aria-invalid', 'true');
    }
    this.#onChange();
  }

  /** Parses the entered text. An empty text is not an error, because the user has entered nothing yet. */
  #parse(): ContractInterface | undefined {
    return this.#text.value.trim() === '' ? undefined : parseInterface(this.#text.value);
  }
}
