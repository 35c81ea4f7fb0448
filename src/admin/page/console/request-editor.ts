import { createProse, element } from '../dom.ts';
import { createId, FieldProblem } from './field.ts';
import { MethodForm } from './method-form.ts';
import type { MethodDoc } from './open-rpc.ts';

type RpcRequest = Readonly<Record<string, unknown>>;

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
  readonly #body: HTMLElement = element('div');
  readonly #text: HTMLTextAreaElement;
  readonly #raw: HTMLElement;
  readonly #onChange: () => void;
  #method: MethodDoc | undefined;
  #form: MethodForm | undefined;
  #isRaw = false;

  constructor(onChange: () => void) {
    const id = createId('request');
    this.#onChange = onChange;
    this.#text = element('textarea', { id, rows: '14', spellcheck: 'false', autocomplete: 'off' });
    this.#raw = element('div', { class: 'field' }, element('label', { for: id }, 'Request'), this.#text);
    this.root = element('div', { class: 'request' }, this.#summary, this.#body);
    this.root.addEventListener('input', onChange);
    this.root.addEventListener('click', onChange);
    this.toggle.addEventListener('click', () => this.#change());
  }

  setMethod(method: MethodDoc): void {
    this.#method = method;
    this.#summary.replaceChildren(...createProse(`${method.summary} ${method.description ?? ''}`));
    this.#form = new MethodForm(method);
    if (this.#isRaw) this.#setText(readQuietly(this.#form));
    this.#show();
  }

  /** Fills in the parameters of the documented example. */
  useExample(): void {
    const params = this.#method?.examples[0]?.params.map(({ value }) => value) ?? [];
    if (this.#isRaw) this.#setText(params);
    else this.#form?.write(params);
    this.#onChange();
  }

  /** @throws FieldProblem */
  read(): RpcRequest {
    return this.#isRaw ? this.#readText() : this.#createRequest(this.#form?.read() ?? []);
  }

  #change(): void {
    if (!this.#isRaw) {
      this.#setText(this.#form === undefined ? [] : readQuietly(this.#form));
      this.#isRaw = true;
    } else this.#isRaw = !this.#takeBack();
    this.toggle.setAttribute('aria-pressed', String(this.#isRaw));
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
    if (this.#isRaw) this.#body.replaceChildren(this.#raw);
    else this.#body.replaceChildren(...(this.#form === undefined ? [] : [this.#form.root]));
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
