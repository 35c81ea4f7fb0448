import { copyTextOf } from '../../copy-text.ts';
import { element, setText } from '../../dom.ts';
import type { ContractInterface } from '../abi/contract-interface.ts';
import { type Credentials, formatAuthorization } from '../authorization.ts';
import type { RpcRequest } from '../request-editor.ts';
import type { ServiceAddress } from '../wire.ts';
import type { CodeCall } from './code-call.ts';
import { formatCurlLine } from './curl-line.ts';
import { formatEthersCode } from './ethers-code.ts';
import { findFunctionCall } from './function-call.ts';
import { formatViemCode } from './viem-code.ts';

type Request = {
  readonly network: { readonly name: string; readonly host: string };
  readonly key: string;
  readonly credentials: Credentials;
  /** The request of the form; undefined while the form is not complete. */
  readonly request: RpcRequest | undefined;
  readonly chosen: ContractInterface | undefined;
};

const LANGUAGES = ['curl', 'viem', 'ethers'] as const;
/** Text instead of a curl command for subscriptions. */
const NO_CURL = 'curl does not receive notifications. Choose viem or ethers.';
type Language = (typeof LANGUAGES)[number];

/** Displays the request as code, with a copy button. */
export class CodeView {
  readonly root: HTMLElement;
  readonly #text: HTMLElement = element('pre', { class: 'code', tabindex: '0', 'aria-label': 'Code' });
  readonly #copy: HTMLButtonElement = element('button', { type: 'button' }, 'Copy');
  readonly #note: HTMLElement = element('p', { class: 'help' });
  readonly #buttons: ReadonlyMap<Language, HTMLButtonElement>;
  #language: Language = 'curl';
  #request: Request | undefined;
  #scheme: ServiceAddress['scheme'] = 'http';
  #authority: string = location.host;

  constructor() {
    this.#buttons = new Map(
      LANGUAGES.map((language) => {
        const button = element('button', { type: 'button', class: 'chip' }, language);
        button.addEventListener('click', () => {
          this.#language = language;
          this.#update();
        });
        return [language, button];
      }),
    );
    const choice = element('div', { class: 'chips', role: 'group', 'aria-label': 'Language of the code' });
    choice.append(...this.#buttons.values());
    this.root = element(
      'details',
      {},
      element('summary', {}, 'As code'),
      choice,
      this.#text,
      this.#note,
      this.#copy,
    );
    this.#copy.addEventListener('click', () => void copyTextOf(this.#text, this.#copy));
    this.#update();
  }

  setService({ scheme, host, port }: ServiceAddress): void {
    this.#scheme = scheme;
    const isEverywhere = host === '0.0.0.0' || host === '::';
    const name = isEverywhere ? location.hostname : host.includes(':') ? `[${host}]` : host;
    this.#authority = `${name}:${port}`;
  }

  show(request: Request): void {
    this.#request = request;
    this.#update();
  }

  #update(): void {
    for (const [language, button] of this.#buttons) {
      button.setAttribute('aria-pressed', String(language === this.#language));
    }
    const isCurl = this.#language === 'curl';
    const isWatched = isCurl && this.#request?.request?.['method'] === 'eth_subscribe';
    setText(
      this.#note,
      isCurl
        ? 'The command contains the key and the credentials.'
        : 'Replace YOUR_KEY (and YOUR_SECRET, YOUR_TOKEN).',
    );
    this.#note.hidden = isWatched;
    let code: string | undefined;
    try {
      code = this.#request && !isWatched ? this.#format(this.#request) : undefined;
    } catch {
      // A secret that a header cannot contain.
    }
    setText(this.#text, code ?? (isWatched ? NO_CURL : 'The form is not complete.'));
    this.#copy.disabled = code === undefined;
  }

  #format({ network, key, credentials, request, chosen }: Request): string | undefined {
    if (request === undefined) return undefined;
    const service = { scheme: this.#scheme, authority: this.#authority, network };
    if (this.#language === 'curl') {
      const authorization = formatAuthorization(credentials);
      return formatCurlLine({ ...service, key, authorization, body: JSON.stringify(request) });
    }
    const method = String(request['method']);
    const params: readonly unknown[] = Array.isArray(request['params']) ? request['params'] : [];
    const call = findFunctionCall(method, params, chosen);
    const facts: CodeCall = { ...service, method, params, credentials, call };
    return this.#language === 'viem' ? formatViemCode(facts) : formatEthersCode(facts);
  }
}
