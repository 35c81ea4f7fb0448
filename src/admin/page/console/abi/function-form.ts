import { element } from '../../dom.ts';
import { createId, type Field, FieldProblem } from '../field.ts';
import { createAbiField, nameParameter } from './abi-field.ts';
import type { AbiValue } from './abi-values.ts';
import { decodeValues } from './abi-values.ts';
import type { ContractInterface, KnownItem } from './contract-interface.ts';
import { encodeFunctionCall } from './known-interfaces.ts';

/** Option of the select element for calldata that is written as hex. */
const NO_FUNCTION = 'none: write the data as hex';

/** Fields of a function's arguments, from which calldata is made. */
export class FunctionForm {
  readonly root: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #arguments: HTMLElement = element('div');
  readonly #functions: readonly KnownItem[];
  #item: KnownItem | undefined;
  #fields: readonly Field[] = [];

  /** @param onChoice called after another function was chosen */
  constructor({ functions }: ContractInterface, onChoice: () => void) {
    const id = createId('function');
    this.#functions = functions;
    const options = functions.map(({ signature }) => element('option', { value: signature }, signature));
    this.#select = element('select', { id }, element('option', { value: '' }, NO_FUNCTION), ...options);
    this.#select.addEventListener('change', () => {
      this.#choose(this.#functions.find(({ signature }) => signature === this.#select.value));
      onChoice();
    });
    this.root = element('fieldset', { class: 'function' }, element('legend', {}, 'Contract function'));
    this.root.append(
      element('div', { class: 'field' }, element('label', { for: id }, 'Function'), this.#select),
      this.#arguments,
    );
    this.root.hidden = functions.length === 0;
    if (functions.length === 1) this.#choose(functions[0]);
  }

  /** The chosen function; undefined if the data is written as hex. */
  get item(): KnownItem | undefined {
    return this.#item;
  }

  /**
   * Returns the calldata; undefined if it is written as hex.
   * @throws FieldProblem
   */
  read(): string | undefined {
    const item = this.#item;
    if (item === undefined) return undefined;
    const values = this.#fields.map((field) => field.read() as AbiValue);
    try {
      return encodeFunctionCall(item, values);
    } catch (error) {
      throw new FieldProblem(item.name, (error as Error).message.split('\n')[0] ?? '', () =>
        this.#select.focus(),
      );
    }
  }

  /** Whether calldata calls one of the functions. */
  knows(data: string): boolean {
    return this.#find(data) !== undefined;
  }

  /** Displays the arguments in calldata, if it calls one of the functions. */
  write(data: string): void {
    const item = this.#find(data);
    const values = item && decodeValues(item.inputs, data.slice(10));
    this.#choose(values === undefined ? undefined : item);
    if (values === undefined) return;
    const isShown = this.#fields.map((field, i) => field.write(values[i])).every(Boolean);
    if (!isShown) this.#choose(undefined);
  }

  #find(data: string): KnownItem | undefined {
    return this.#functions.find(({ selector }) => data.toLowerCase().startsWith(selector));
  }

  #choose(item: KnownItem | undefined): void {
    this.#item = item;
    this.#select.value = item?.signature ?? '';
    this.#fields = (item?.inputs ?? []).map((input, i) => createAbiField(input, nameParameter(input, i)));
    this.#arguments.replaceChildren(...this.#fields.map(({ root }) => root));
  }
}
