import type { NetworkStatus } from '../../../observe/status.ts';
import { element } from '../dom.ts';
import { findHost } from './find-host.ts';
import type { MethodDoc } from './open-rpc.ts';
import { createRememberedInput } from './remembered-input.ts';

/** Head of the console's form: network, key and method. */
export class Selectors {
  readonly root: HTMLElement;
  readonly #network: HTMLSelectElement = element('select', { id: 'console-network' });
  readonly #method: HTMLSelectElement = element('select', { id: 'console-method' });
  readonly #key: HTMLInputElement;
  #networks: readonly NetworkStatus[] = [];
  #methods: readonly MethodDoc[] = [];
  readonly #onMethod: () => void;

  constructor(onChange: () => void, onMethod: () => void) {
    this.#onMethod = onMethod;
    const attributes = { id: 'console-key', type: 'text' };
    this.#key = createRememberedInput('portcullis-console-key', attributes, onChange, 'demo');
    this.#network.addEventListener('change', () => {
      this.#offerMethods();
      onChange();
    });
    this.#method.addEventListener('change', onMethod);
    this.root = element('div', { class: 'selectors' });
    this.root.append(
      createLabelled('Network', this.#network),
      createLabelled('API key', this.#key),
      createLabelled('Method', this.#method),
    );
  }

  get key(): string {
    return this.#key.value.trim();
  }

  /** The chosen network: its name, and a host name that routes to it. */
  get network(): { readonly name: string; readonly host: string } | undefined {
    const { name, hosts } = this.#networks.find(({ name }) => name === this.#network.value) ?? {};
    const host = findHost(hosts);
    return name === undefined || host === undefined ? undefined : { name, host };
  }

  get method(): MethodDoc | undefined {
    return this.#methods.find(({ name }) => name === this.#method.value);
  }

  /**
   * Chooses a network and a method. If the method is not in the list, the chosen method does not change.
   * @returns false for a network that the service does not have
   */
  choose(network: string, method: string): boolean {
    const isOffered = this.#networks.some(({ name }) => name === network);
    if (isOffered) this.#network.value = network;
    this.#offerMethods();
    if (this.#methods.some(({ name }) => name === method) && this.#method.value !== method) {
      this.#method.value = method;
      this.#onMethod();
    }
    return isOffered;
  }

  setNetworks(networks: readonly NetworkStatus[]): void {
    const isSame =
      networks.length === this.#networks.length &&
      networks.every(({ name, family }, i) => {
        const known = this.#networks[i];
        return known?.name === name && known.family === family;
      });
    this.#networks = networks;
    if (isSame) return;
    offer(
      this.#network,
      networks.map(({ name }) => name),
    );
    this.#offerMethods();
  }

  setMethods(methods: readonly MethodDoc[]): void {
    this.#methods = methods;
    this.#offerMethods();
  }

  #offerMethods(): void {
    const network = this.#networks.find(({ name }) => name === this.#network.value);
    if (network === undefined) return;
    const methods = this.#methods.filter(
      (one) => one['x-rollups-only'] !== true || network.family !== undefined,
    );
    const before = this.#method.value;
    offer(
      this.#method,
      methods.map(({ name }) => name),
    );
    if (before === '' && methods.some(({ name }) => name === FIRST_METHOD)) this.#method.value = FIRST_METHOD;
    if (this.#method.value !== before) this.#onMethod();
  }
}

/** Preselected method. */
const FIRST_METHOD = 'eth_call';

/** Replaces the options of a select element. The selected option remains selected if it still exists. */
function offer(select: HTMLSelectElement, names: readonly string[]): void {
  const before = select.value;
  select.replaceChildren(...names.map((name) => element('option', { value: name }, name)));
  if (names.includes(before)) select.value = before;
}

function createLabelled(text: string, control: HTMLElement): HTMLElement {
  return element('div', { class: 'field' }, element('label', { for: control.id }, text), control);
}
