import { element } from '../dom.ts';
import { formatBytes, formatMs } from '../format.ts';
import { decodeAnswer } from './decoded-view.ts';
import { indentJson } from './indent-json.ts';
import type { JsonSchema } from './open-rpc.ts';
import type { ConsoleAnswer } from './wire.ts';

/** Characters of a body that are shown. */
const MAX_SHOWN = 200_000;

/** What came back: status and time, the answer in words, headers, the text itself. */
export class AnswerView {
  readonly root: HTMLElement = element('div', { class: 'answer', 'aria-live': 'polite' });

  constructor() {
    this.root.append(element('p', { class: 'empty' }, 'The answer will be here.'));
  }

  showWaiting(): void {
    this.root.setAttribute('aria-busy', 'true');
  }

  showProblem(message: string): void {
    this.#show(element('p', { class: 'headline bad' }, `✕ ${message}`));
  }

  show({ status, headers, body, milliseconds }: ConsoleAnswer, resultSchema: JsonSchema | undefined): void {
    const isFine = status >= 200 && status < 300;
    const facts = element('p', { class: 'outcome' });
    facts.append(element('span', { class: `pill ${isFine ? 'ok' : 'bad'}` }, `HTTP ${status}`));
    facts.append(` ${formatMs(milliseconds)}, ${formatBytes(new TextEncoder().encode(body).length)}`);
    const text = indentJson(body);
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… and more` : text;
    this.#show(
      facts,
      element('div', { class: 'words' }, ...decodeAnswer(body, resultSchema)),
      element(
        'details',
        { open: '' },
        element('summary', {}, 'JSON'),
        element('pre', { tabindex: '0' }, shown),
      ),
      element('details', {}, element('summary', {}, 'Headers'), element('pre', {}, formatHeaders(headers))),
    );
  }

  #show(...children: readonly Node[]): void {
    this.root.removeAttribute('aria-busy');
    this.root.replaceChildren(...children);
  }
}

function formatHeaders(headers: ConsoleAnswer['headers']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
