import { createProse, element, setText } from '../dom.ts';
import type { ContractInterface } from './abi/contract-interface.ts';
import { FunctionForm } from './abi/function-form.ts';
import { createId, FieldProblem } from './field.ts';
import { MethodForm } from './method-form.ts';
import type { MethodDoc } from './open-rpc.ts';

/** JSON-RPC request of the console. */
export type RpcRequest = Readonly<Record<string, unknown>>;

/** Request editor: a form built from the method's schemas, or JSON. */
export class RequestEditor {
  readonly root: HTMLElement;
  /** Switches between form and JSON. */
  readonly toggle: HTMLButtonElement = element(
    'button',
    { type: 'button', 'aria-pressed': 'false' },
    'Edit as JSON',
  );
  readonly #summary: HTMLElement = element('p', { class: 'summary' });
  readonly #more: HTMLElement = element('summary', {}, 'More about the method');
  readonly #description: HTMLElement = element('p', { class: 'help' });
  readonly #details: HTMLElement = element('details', {}, this.#more, this.#description);
  readonly #body: HTMLElement = element('div');
  readonly #text: HTMLTextAreaElement;
  readonly #raw: HTMLElement;
  readonly #onChange: () => void;
  #method: MethodDoc | undefined;
  #form: MethodForm | undefined;
  #interface: ContractInterface | undefined;
  #function: FunctionForm | undefined;
  /** The latest calldata that was made from arguments. */
  #made = '';
  #isRaw = false;

  constructor(onChange: () => void) {
    const id = createId('request');
    this.#onChange = onChange;
    this.#text = element('textarea', { id, rows: '14', spellcheck: 'false', autocomplete: 'off' });
    this.#raw = element('div', { class: 'field' }, element('label', { for: id }, 'Request'), this.#text);
    this.root = element('div', { class: 'request' }, this.#summary, this.#details, this.#body);
    const change = (): void => {
      this.#fillCalldata();
      if (this.#isRaw) this.#describe();
      onChange();
    };
    this.root.addEventListener('input', change);
    this.root.addEventListener('click', change);
    this.toggle.addEventListener('click', () => this.#change());
  }

  setMethod(method: MethodDoc): void {
    this.#method = method;
    this.#form = new MethodForm(method);
    if (this.#isRaw) this.#setText(readQuietly(this.#form));
    this.#createFunctionForm();
  }

  /** Offers the functions of this interface for methods that call contracts. */
  setInterface(chosen: ContractInterface | undefined): void {
    this.#interface = chosen;
    this.#createFunctionForm();
  }

  /** Fills in the recipient, unless the form has one. */
  suggestRecipient(address: string): void {
    const recipient = this.#form?.recipient;
    if (recipient?.text === '') recipient.write(address);
  }

  /** Fills in the parameters of the documented example. */
  useExample(): void {
    const params = this.#method?.examples[0]?.params.map(({ value }) => value) ?? [];
    if (this.#isRaw) this.#setText(params);
    else this.#form?.write(params);
    this.#readCalldata();
    this.#onChange();
  }

  /** Displays a request: in the form if the form can show it, otherwise as JSON. */
  write(request: { readonly method: string; readonly params: readonly unknown[] }): void {
    const { method, params } = request;
    this.#isRaw = method !== this.#method?.name || this.#form?.write(params) !== true;
    this.#text.value = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, null, 2);
    this.toggle.setAttribute('aria-pressed', String(this.#isRaw));
    this.#readCalldata();
    this.#show();
  }

  /** @throws FieldProblem */
  read(): RpcRequest {
    if (this.#isRaw) return this.#readText();
    const data = this.#function?.read();
    if (data !== undefined) this.#form?.calldata?.write(data);
    return this.#createRequest(this.#form?.read() ?? []);
  }

  #createFunctionForm(): void {
    const calldata = this.#form?.calldata;
    this.#function =
      this.#interface === undefined || calldata === undefined
        ? undefined
        : new FunctionForm(this.#interface, () => this.#fillCalldata());
    // Calldata of a function that the new interface does not have is not what the user has entered.
    if (calldata?.text === this.#made && this.#function?.knows(this.#made) === false) calldata.write('');
    this.#readCalldata();
    this.#show();
  }

  /** Displays the calldata of the form as arguments, if it calls a function of the interface. */
  #readCalldata(): void {
    const calldata = this.#form?.calldata;
    if (calldata !== undefined && calldata.text !== '') this.#function?.write(calldata.text);
    this.#fillCalldata();
  }

  /** Makes the calldata from the arguments; it is empty while they are not complete. */
  #fillCalldata(): void {
    const calldata = this.#form?.calldata;
    const isMade = this.#function?.item !== undefined;
    calldata?.lock(isMade);
    if (calldata === undefined || !isMade) return;
    try {
      calldata.write(this.#function?.read());
    } catch {
      calldata.write('');
    }
    this.#made = calldata.text;
  }

  #change(): void {
    if (!this.#isRaw) {
      this.#setText(this.#form === undefined ? [] : readQuietly(this.#form));
      this.#isRaw = true;
    } else this.#isRaw = !this.#takeBack();
    this.toggle.setAttribute('aria-pressed', String(this.#isRaw));
    this.#readCalldata();
    this.#show();
    this.#onChange();
  }

  /** @returns true if the form cannot show the JSON text; the editor then remains in JSON mode */
  #takeBack(): boolean {
    try {
      const { params, method } = this.#readText();
      if (method !== this.#method?.name) return true;
      return this.#form?.write(Array.isArray(params) ? params : []) ?? true;
    } catch {
      return true;
    }
  }

  #show(): void {
    this.#describe();
    if (this.#isRaw) this.#body.replaceChildren(this.#raw);
    else this.#body.replaceChildren(...[this.#function, this.#form].flatMap((part) => part?.root ?? []));
  }

  /** Describes the method of the request. JSON may name one that the form does not have. */
  #describe(): void {
    const { name = '', summary = '', description = '' } = this.#method ?? {};
    const written = this.#isRaw ? this.#readMethod() : name;
    const isKnown = written === name;
    const text = isKnown ? summary : `The request is written as JSON: \`${written}\`.`;
    this.#summary.replaceChildren(...createProse(text));
    setText(this.#more, `More about ${name}`);
    this.#description.replaceChildren(...createProse(description));
    this.#details.hidden = !isKnown || description === '';
  }

  #readMethod(): string {
    try {
      return String(this.#readText()['method']);
    } catch {
      return this.#method?.name ?? '';
    }
  }

  #setText(params: readonly unknown[]): void {
    this.#text.value = JSON.stringify(this.#createRequest(params), null, 2);
  }

  #createRequest(params: readonly unknown[]): RpcRequest {
    return { jsonrpc: '2.0', id: 1, method: this.#method?.name ?? '', params };
  }

  #readText(): RpcRequest {
    try {
      const value: unknown = JSON.parse(this.#text.value);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RpcRequest;
    } catch {
      // Reported below.
    }
    throw new FieldProblem('Request', 'expected a JSON object', () => this.#text.focus());
  }
}

/** Returns the parameters of the form, or an empty list if they cannot be read. */
function readQuietly(form: MethodForm): readonly unknown[] {
  try {
    return form.read();
  } catch {
    return [];
  }
}
