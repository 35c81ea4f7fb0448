import { element, setText } from '../dom.ts';
import { type Credentials, formatAuthorization } from './authorization.ts';
import { formatCurlLine } from './curl-line.ts';
import type { ServiceAddress } from './wire.ts';

type Request = {
  readonly network: { readonly name: string; readonly host: string };
  readonly key: string;
  readonly credentials: Credentials;
};

/** Displays the request as a shell command, with a copy button. */
export class CurlView {
  readonly root: HTMLElement;
  readonly #line: HTMLElement = element('pre', { class: 'curl', tabindex: '0' });
  readonly #copy: HTMLButtonElement = element('button', { type: 'button' }, 'Copy as curl');
  #scheme: ServiceAddress['scheme'] = 'http';
  #authority: string = location.host;

  constructor() {
    this.root = element('details', {}, element('summary', {}, 'As curl'), this.#line, this.#copy);
    this.#copy.addEventListener('click', () => void this.#copyLine());
  }

  setService({ scheme, host, port }: ServiceAddress): void {
    this.#scheme = scheme;
    const isEverywhere = host === '0.0.0.0' || host === '::';
    const name = isEverywhere ? location.hostname : host.includes(':') ? `[${host}]` : host;
    this.#authority = `${name}:${port}`;
  }

  show({ network, key, credentials }: Request, readRequest: () => Readonly<Record<string, unknown>>): void {
    try {
      const body = JSON.stringify(readRequest());
      const line = formatCurlLine({
        scheme: this.#scheme,
        authority: this.#authority,
        network,
        key,
        authorization: formatAuthorization(credentials),
        body,
      });
      setText(this.#line, line);
      this.#copy.disabled = false;
    } catch {
      setText(this.#line, 'The form is not complete.');
      this.#copy.disabled = true;
    }
  }

  /** Copies the line, or selects it if the browser denies access to the clipboard. */
  async #copyLine(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#line.textContent ?? '');
      setText(this.#copy, 'Copied');
    } catch {
      getSelection()?.selectAllChildren(this.#line);
      setText(this.#copy, 'Selected: copy it');
    }
    setTimeout(() => setText(this.#copy, 'Copy as curl'), 2_000);
  }
}
