import type { NetworkStatus } from '../../../observe/status.ts';
import { element, setText } from '../dom.ts';
import { AnswerView } from './answer-view.ts';
import { CredentialFields } from './credential-fields.ts';
import { CurlView } from './curl-view.ts';
import { FieldProblem } from './field.ts';
import { RequestEditor } from './request-editor.ts';
import { Selectors } from './selectors.ts';
import { fetchMethods, fetchServiceAddress, sendRequest } from './server.ts';
import { WatchView } from './watch-view.ts';

/** The console sends `eth_subscribe` over a WebSocket, because notifications follow the answer. */
const SUBSCRIBE = 'eth_subscribe';

/** The console: sends a request to the service and displays the answer. */
export class ConsolePanel {
  readonly root: HTMLElement;
  readonly #selectors: Selectors = new Selectors(
    () => this.#refresh(),
    () => this.#changeMethod(),
  );
  readonly #credentials: CredentialFields = new CredentialFields(() => this.#refresh());
  readonly #editor: RequestEditor = new RequestEditor(() => this.#refresh());
  readonly #answer: AnswerView = new AnswerView();
  readonly #watch: WatchView = new WatchView();
  readonly #side: HTMLElement = element('div', { class: 'panel side' });
  readonly #curl: CurlView = new CurlView();
  readonly #problem: HTMLElement = element('p', { class: 'problem', role: 'alert' });
  readonly #send: HTMLButtonElement = element('button', { type: 'submit', class: 'main' }, 'Send');

  constructor() {
    const example = element('button', { type: 'button' }, 'Use the example');
    example.addEventListener('click', () => this.#editor.useExample());
    const buttons = element('div', { class: 'buttons' }, this.#send, example, this.#editor.toggle);
    const form = element('form', { class: 'panel', novalidate: '' });
    form.append(this.#selectors.root, this.#credentials.root, this.#editor.root);
    form.append(this.#problem, buttons, this.#curl.root);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    this.#side.append(this.#answer.root, this.#watch.root);
    this.root = element('div', { class: 'console' }, form, this.#side);
  }

  /** Fetches the methods and the service's address from the admin server. */
  async load(): Promise<void> {
    try {
      this.#selectors.setMethods(await fetchMethods());
      this.#curl.setService(await fetchServiceAddress());
      this.#refresh();
    } catch (error) {
      setText(this.#problem, (error as Error).message);
    }
  }

  setNetworks(networks: readonly NetworkStatus[]): void {
    this.#selectors.setNetworks(networks);
  }

  #changeMethod(): void {
    const { method } = this.#selectors;
    if (method !== undefined) this.#editor.setMethod(method);
    this.#refresh();
  }

  /** Updates the curl command from the form, if the form is complete. */
  #refresh(): void {
    setText(this.#problem, '');
    const { network, key } = this.#selectors;
    if (network === undefined) return;
    this.#curl.show({ network, key, credentials: this.#credentials.read() }, () => this.#editor.read());
  }

  async #submit(): Promise<void> {
    const { network, key, method } = this.#selectors;
    if (network === undefined) return;
    try {
      const request = this.#editor.read();
      this.#refresh();
      const sent = { network: network.name, key, ...this.#credentials.read(), request };
      this.#watch.stop();
      const isWatched = request['method'] === SUBSCRIBE;
      this.#watch.root.hidden = !isWatched;
      this.#answer.root.hidden = isWatched;
      if (isWatched) {
        void this.#watch.start(sent);
        return;
      }
      this.#send.disabled = true;
      this.#answer.showWaiting();
      const answer = await sendRequest(sent);
      const isMethod = request['method'] === method?.name;
      this.#answer.show(answer, isMethod ? method?.result.schema : undefined);
      this.#side.scrollTop = 0;
      this.#side.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      if (error instanceof FieldProblem) {
        setText(this.#problem, error.message);
        error.show();
      } else this.#answer.showProblem((error as Error).message);
    } finally {
      this.#send.disabled = false;
    }
  }
}
