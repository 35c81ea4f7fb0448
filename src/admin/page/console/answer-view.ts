import { element } from '../dom.ts';
import { formatBytes, formatMs } from '../format.ts';
import { decodeAnswer } from './decoded-view.ts';
import { indentJson } from './indent-json.ts';
import type { OpenRpcSchema } from './open-rpc.ts';
import type { ConsoleAnswer } from './wire.ts';

/** Maximum displayed characters of a body. */
const MAX_SHOWN = 200_000;

/** Displays a response: HTTP status, latency, decoded result, JSON text, and headers. */
export class AnswerView {
  readonly root: HTMLElement;
  /** The outcome has one permanent element, so that screen readers announce each change of its text. */
  readonly #outcome: HTMLElement = element('p', { class: 'outcome', role: 'status' });
  readonly #content: HTMLElement = element('div');

  constructor() {
    this.#content.append(element('p', { class: 'empty' }, 'The answer will be here.'));
    this.root = element('div', { class: 'answer' }, this.#outcome, this.#content);
  }

  showWaiting(): void {
    this.root.setAttribute('aria-busy', 'true');
  }

  showProblem(message: string): void {
    this.#show([element('span', { class: 'bad' }, `✕ ${message}`)], []);
  }

  show(
    { status, headers, body, milliseconds }: ConsoleAnswer,
    resultSchema: OpenRpcSchema | undefined,
  ): void {
    const isFine = status >= 200 && status < 300;
    const pill = element('span', { class: `pill ${isFine ? 'ok' : 'bad'}` }, `HTTP ${status}`);
    const size = formatBytes(new TextEncoder().encode(body).length);
    const text = indentJson(body);
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… and more` : text;
    this.#show(
      [pill, ` ${formatMs(milliseconds)}, ${size}`],
      [
        element('div', { class: 'words' }, ...decodeAnswer(body, resultSchema)),
        element(
          'details',
          { open: '' },
          element('summary', {}, 'JSON'),
          element('pre', { tabindex: '0' }, shown),
        ),
        element('details', {}, element('summary', {}, 'Headers'), element('pre', {}, formatHeaders(headers))),
      ],
    );
  }

  #show(outcome: readonly (Node | string)[], content: readonly Node[]): void {
    this.root.removeAttribute('aria-busy');
    this.#outcome.replaceChildren(...outcome);
    this.#content.replaceChildren(...content);
  }
}

function formatHeaders(headers: ConsoleAnswer['headers']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
