import { element, setText } from '../dom.ts';
import { formatTime } from '../format.ts';
import type { KnownInterfaces } from './abi/known-interfaces.ts';
import { indentJson } from './indent-json.ts';
import type { OpenRpcSchema } from './open-rpc.ts';
import { describeOutcome, describeResponse, type RpcOutcome, readRpcOutcome } from './outcome.ts';
import type { SentRequest } from './sent-request.ts';
import { createFailureView } from './views/failure-view.ts';
import { createResultView } from './views/result-view.ts';
import type { ConsoleAnswer } from './wire.ts';

/** Maximum displayed characters of a body. */
const MAX_SHOWN = 200_000;
const TONES: Readonly<Record<RpcOutcome['kind'], string>> = { result: 'ok', error: 'bad', transport: 'bad' };

/** Displays the outcome of a request with its decoded result, JSON text and headers, and marks it as old when the request of the form changes. */
export class AnswerView {
  readonly root: HTMLElement;
  /** The outcome has one permanent element, so that screen readers announce each change of its text. */
  readonly #outcome: HTMLElement = element('p', { class: 'outcome', role: 'status' });
  readonly #sent: HTMLElement = element('p', { class: 'hosts' });
  readonly #old: HTMLElement = element('p', { class: 'old', role: 'status' });
  readonly #words: HTMLElement = element('div', { class: 'words' });
  readonly #rest: HTMLElement = element('div');
  readonly #content: HTMLElement = element('div', { class: 'content' }, this.#words, this.#rest);
  /** Identity of the request whose answer is displayed. */
  #identity: string | undefined;
  /** Text of the request that is not answered yet. */
  #waiting: string | undefined;
  #decode: (interfaces: KnownInterfaces) => readonly Node[] = () => [];

  constructor() {
    this.#old.hidden = true;
    this.#words.append(element('p', { class: 'empty' }, 'The answer appears here.'));
    this.root = element('div', { class: 'answer' }, this.#old, this.#outcome, this.#sent, this.#content);
  }

  /** Displays that a request is running. An earlier answer remains visible, marked as old. */
  showWaiting({ label }: SentRequest): void {
    this.#waiting = label;
    this.root.setAttribute('aria-busy', 'true');
    if (this.#identity === undefined) setText(this.#outcome, `Waiting for the answer of ${label}`);
    else this.#markOld(`Old answer. The request ${label} is running.`);
  }

  /** Displays that the user has cancelled the running request. An earlier answer remains visible, marked as old. */
  showCancelled({ label }: SentRequest): void {
    this.#waiting = undefined;
    this.root.removeAttribute('aria-busy');
    const text = `${label} was cancelled. The service may have executed it.`;
    if (this.#identity === undefined) setText(this.#outcome, text);
    else this.#markOld(`Old answer. The request ${text}`);
  }

  /** Displays that there is no response, with the HTTP status of the admin server if it answered. */
  showProblem(sent: SentRequest, message: string, status: number | undefined): void {
    const badge = status === undefined ? '✕ not sent' : `✕ no answer: HTTP ${status}`;
    const line = element('p', { class: 'headline bad' }, `✕ ${message}`);
    this.#decode = () => [line];
    this.#show(sent, [element('span', { class: 'pill bad' }, badge)], []);
    this.#words.replaceChildren(line);
  }

  show(
    sent: SentRequest,
    answer: ConsoleAnswer,
    schema: OpenRpcSchema | undefined,
    interfaces: KnownInterfaces,
  ): void {
    const outcome = readRpcOutcome(answer);
    const pill = element('span', { class: `pill ${TONES[outcome.kind]}` }, describeOutcome(outcome, answer));
    const text = indentJson(answer.body);
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… and more` : text;
    this.#decode = (known) => decode(sent, outcome, schema, known);
    this.#show(
      sent,
      [pill, ` ${describeResponse(answer)}, at ${formatTime(Date.now())}`],
      [
        element(
          'details',
          outcome.kind === 'transport' ? { open: '' } : {},
          element('summary', {}, 'JSON'),
          element('pre', { tabindex: '0' }, shown),
        ),
        element(
          'details',
          {},
          element('summary', {}, 'Headers'),
          element('pre', {}, formatHeaders(answer.headers)),
        ),
      ],
    );
    this.decode(interfaces);
  }

  /** Decodes the displayed answer by these interfaces. */
  decode(interfaces: KnownInterfaces): void {
    if (this.#identity !== undefined) this.#words.replaceChildren(...this.#decode(interfaces));
  }

  /** Marks the answer as old unless it is the answer of the request that the form has now. */
  compare(identity: string | undefined): void {
    if (this.#waiting !== undefined || this.#identity === undefined) return;
    if (identity === this.#identity) this.#markOld('');
    else this.#markOld('Old answer: the request has changed since.');
  }

  #markOld(text: string): void {
    setText(this.#old, text);
    this.#old.hidden = text === '';
    this.#content.classList.toggle('stale', text !== '');
    this.#outcome.classList.toggle('stale', text !== '');
  }

  #show({ identity, label }: SentRequest, outcome: readonly (Node | string)[], rest: readonly Node[]): void {
    this.#identity = identity;
    this.#waiting = undefined;
    this.root.removeAttribute('aria-busy');
    this.#markOld('');
    this.#outcome.replaceChildren(...outcome);
    setText(this.#sent, label);
    this.#rest.replaceChildren(...rest);
    this.#words.replaceChildren();
  }
}

function decode(
  { method, params }: SentRequest,
  outcome: RpcOutcome,
  schema: OpenRpcSchema | undefined,
  interfaces: KnownInterfaces,
): readonly Node[] {
  if (outcome.kind === 'error') return createFailureView(outcome.failure, interfaces);
  if (outcome.kind === 'transport') return [element('p', { class: 'empty' }, outcome.reason)];
  return createResultView(outcome.result, { method, params, schema: schema ?? {}, interfaces });
}

function formatHeaders(headers: ConsoleAnswer['headers']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
