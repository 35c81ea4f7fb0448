import type { NetworkStatus } from '../../../observe/status.ts';
import { element, setText } from '../dom.ts';
import { InterfaceField } from './abi/interface-field.ts';
import { KnownInterfaces } from './abi/known-interfaces.ts';
import { findUsualAddress } from './abi/standard-interfaces.ts';
import { AnswerView } from './answer-view.ts';
import { CodeView } from './code/code-view.ts';
import { CredentialFields } from './credential-fields.ts';
import { FieldProblem } from './field.ts';
import { RequestEditor } from './request-editor.ts';
import { formatLink, type LinkedRequest, parseLink } from './request-link.ts';
import { Selectors } from './selectors.ts';
import { createSentRequest, type SentRequest } from './sent-request.ts';
import { AdminProblem, fetchMethods, fetchServiceAddress, sendRequest } from './server.ts';
import { WatchView } from './watch-view.ts';

/** The console sends `eth_subscribe` over a WebSocket, because notifications follow the answer. */
const SUBSCRIBE = 'eth_subscribe';

/** Fragment that replaces a request that must not be in the URL. */
const NO_REQUEST = '#console-part';

/** The console: sends a request to the service and displays the answer. */
export class ConsolePanel {
  readonly root: HTMLElement;
  readonly #selectors: Selectors = new Selectors(
    () => this.#refresh(),
    () => this.#changeMethod(),
  );
  readonly #credentials: CredentialFields = new CredentialFields(() => this.#refresh());
  readonly #interface: InterfaceField = new InterfaceField(() => this.#changeInterface());
  readonly #editor: RequestEditor = new RequestEditor(() => this.#refresh());
  readonly #answer: AnswerView = new AnswerView();
  readonly #watch: WatchView = new WatchView();
  readonly #side: HTMLElement = element('div', { class: 'panel side' });
  readonly #code: CodeView = new CodeView();
  readonly #problem: HTMLElement = element('p', { class: 'problem', role: 'alert' });
  readonly #copyLink: HTMLButtonElement = element('button', { type: 'button' }, 'Copy link');
  /** The latest request, until its answer arrives. */
  #running: { readonly sent: SentRequest; readonly left: AbortController } | undefined;
  /** Request of the URL that the form does not display yet, because networks or methods are missing. */
  #linked: LinkedRequest | undefined = parseLink(location.hash);
  #hasMethods = false;
  #hasNetworks = false;

  constructor() {
    const send = element('button', { type: 'submit', class: 'main' }, 'Send');
    const example = element('button', { type: 'button' }, 'Use the example');
    example.addEventListener('click', () => this.#editor.useExample());
    this.#copyLink.addEventListener('click', () => void this.#copy());
    const buttons = element('div', { class: 'buttons' }, send, example, this.#editor.toggle, this.#copyLink);
    const form = element('form', { class: 'panel', novalidate: '' });
    form.append(this.#selectors.root, this.#credentials.root, this.#interface.root, this.#editor.root);
    form.append(this.#problem, buttons, this.#code.root);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    this.#side.append(this.#answer.root, this.#watch.root);
    this.root = element('div', { class: 'console' }, form, this.#side);
    this.root.addEventListener('keydown', ({ key, target }) => {
      // Escape in a select element closes its list.
      if (key === 'Escape' && !(target instanceof HTMLSelectElement)) this.#cancel();
    });
    addEventListener('hashchange', () => {
      this.#linked = parseLink(location.hash);
      this.#restore();
    });
  }

  /** Fetches the methods and the service's address from the admin server. */
  async load(): Promise<void> {
    try {
      this.#selectors.setMethods(await fetchMethods());
      this.#code.setService(await fetchServiceAddress());
      this.#hasMethods = true;
      this.#restore();
      this.#refresh();
    } catch (error) {
      setText(this.#problem, (error as Error).message);
    }
  }

  setNetworks(networks: readonly NetworkStatus[]): void {
    this.#selectors.setNetworks(networks);
    this.#hasNetworks = true;
    this.#restore();
  }

  /** Displays the request of the URL. The page does not send it, because a link may come from anybody. */
  #restore(): void {
    const linked = this.#linked;
    if (linked === undefined || !this.#hasMethods || !this.#hasNetworks) return;
    this.#linked = undefined;
    const isOffered = this.#selectors.choose(linked.network, linked.method);
    this.#interface.write(linked.abi);
    this.#editor.write(linked);
    this.#refresh();
    if (!isOffered)
      setText(
        this.#problem,
        `The link names the network ${linked.network}, which this service does not have.`,
      );
    this.root.parentElement?.scrollIntoView({ block: 'start' });
  }

  #changeMethod(): void {
    const { method } = this.#selectors;
    if (method !== undefined) this.#editor.setMethod(method);
    this.#refresh();
  }

  #changeInterface(): void {
    const { chosen } = this.#interface;
    this.#editor.setInterface(chosen);
    const address = findUsualAddress(this.#interface.read());
    if (address !== undefined) this.#editor.suggestRecipient(address);
    this.#answer.decode(new KnownInterfaces(chosen));
    this.#refresh();
  }

  /** Reads the request of the form; undefined while it is not complete. */
  #readQuietly(): SentRequest | undefined {
    try {
      return this.#read();
    } catch {
      return undefined;
    }
  }

  /** @throws FieldProblem */
  #read(): SentRequest | undefined {
    const { network, key } = this.#selectors;
    if (network === undefined) return undefined;
    const request = this.#editor.read();
    return createSentRequest({ network: network.name, key, ...this.#credentials.read(), request });
  }

  /** Updates the code from the form, and compares the displayed answer with the request of the form. */
  #refresh(): void {
    setText(this.#problem, '');
    const { network, key } = this.#selectors;
    if (network === undefined) return;
    const current = this.#readQuietly();
    const request = current?.sent.request;
    const { chosen } = this.#interface;
    this.#code.show({ network, key, credentials: this.#credentials.read(), request, chosen });
    this.#answer.compare(current?.identity);
    this.#watch.compare(current?.identity);
  }

  async #submit(): Promise<void> {
    let sent: SentRequest | undefined;
    try {
      sent = this.#read();
    } catch (error) {
      setText(this.#problem, (error as Error).message);
      if (error instanceof FieldProblem) error.show();
      return;
    }
    // A second click must not send a transaction twice.
    if (sent === undefined || sent.identity === this.#running?.sent.identity) return;
    this.#refresh();
    this.#remember(sent);
    this.#running?.left.abort();
    this.#running = undefined;
    this.#watch.stop();
    const isWatched = sent.method === SUBSCRIBE;
    this.#watch.root.hidden = !isWatched;
    this.#answer.root.hidden = isWatched;
    if (isWatched) void this.#watch.start(sent, new KnownInterfaces(this.#interface.chosen));
    else await this.#send(sent);
  }

  /** Ends the subscription, or stops waiting for the answer of the running request. */
  #cancel(): void {
    this.#watch.stop();
    const running = this.#running;
    if (running === undefined) return;
    running.left.abort();
    this.#running = undefined;
    this.#answer.showCancelled(running.sent);
  }

  /** Sends a request and displays its answer, unless a newer request was sent meanwhile. */
  async #send(sent: SentRequest): Promise<void> {
    const running = { sent, left: new AbortController() };
    this.#running = running;
    this.#answer.showWaiting(sent);
    const { method } = this.#selectors;
    const schema = sent.method === method?.name ? method.result.schema : undefined;
    try {
      const answer = await sendRequest(sent.sent, running.left.signal);
      if (this.#running !== running) return;
      this.#answer.show(sent, answer, schema, new KnownInterfaces(this.#interface.chosen));
      this.#side.scrollTop = 0;
      this.#side.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      if (this.#running !== running) return;
      const status = error instanceof AdminProblem ? error.status : undefined;
      this.#answer.showProblem(sent, (error as Error).message, status);
    }
    this.#running = undefined;
    this.#answer.compare(this.#readQuietly()?.identity);
  }

  #formatLink({ sent, method, params }: SentRequest): string | undefined {
    const { network, key, secret = '', token = '' } = sent;
    return formatLink({ network, method, params, abi: this.#interface.read() }, [key, secret, token]);
  }

  /** Puts the request into the URL, so that the browser's back button leads to the previous request. */
  #remember(sent: SentRequest): void {
    const fragment = this.#formatLink(sent) ?? NO_REQUEST;
    if (fragment !== location.hash) history.pushState(null, '', fragment);
  }

  async #copy(): Promise<void> {
    const current = this.#readQuietly();
    const fragment = current && this.#formatLink(current);
    if (fragment === undefined) {
      setText(
        this.#problem,
        'There is no link: the form is not complete, or the request is too long or contains a credential.',
      );
      return;
    }
    try {
      await navigator.clipboard.writeText(new URL(fragment, location.href).href);
      setText(this.#copyLink, 'Copied');
    } catch {
      setText(this.#copyLink, 'The link is in the address bar');
      history.pushState(null, '', fragment);
    }
    setTimeout(() => setText(this.#copyLink, 'Copy link'), 2_000);
  }
}
