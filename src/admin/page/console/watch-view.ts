import { countOf } from '../../../util/count-of.ts';
import { element, setText } from '../dom.ts';
import { formatTime } from '../format.ts';
import { indentJson } from './indent-json.ts';
import type { SentRequest } from './sent-request.ts';
import { watchMessages } from './server.ts';
import type { WatchLine } from './wire.ts';

/** Maximum displayed messages, the latest first. */
const MAX_SHOWN = 50;
/** Maximum displayed characters of a message. */
const MAX_TEXT = 20_000;

/** Displays the messages of a subscription as they arrive, until it is stopped. */
export class WatchView {
  readonly root: HTMLElement;
  readonly #state: HTMLElement = element('p', { class: 'outcome', role: 'status' });
  readonly #sent: HTMLElement = element('p', { class: 'hosts' });
  readonly #old: HTMLElement = element('p', { class: 'old', role: 'status' });
  readonly #stop: HTMLButtonElement = element('button', { type: 'button' }, 'Stop');
  readonly #messages: HTMLElement = element('div');
  #left: AbortController | undefined;
  #count = 0;
  #identity: string | undefined;

  constructor() {
    this.#old.hidden = true;
    this.#stop.addEventListener('click', () => this.stop());
    this.root = element(
      'div',
      { class: 'answer' },
      this.#old,
      this.#state,
      this.#sent,
      this.#stop,
      this.#messages,
    );
    this.root.hidden = true;
  }

  /** Opens the subscription of this request, and ends the previous subscription. */
  async start({ sent, identity, label }: SentRequest): Promise<void> {
    this.stop();
    this.#identity = identity;
    setText(this.#sent, label);
    this.compare(identity);
    const left = new AbortController();
    this.#left = left;
    this.#count = 0;
    this.#messages.replaceChildren();
    this.root.hidden = false;
    this.#stop.hidden = false;
    setText(this.#state, 'Connecting');
    let end = 'Ended';
    try {
      await watchMessages(
        sent,
        (line) => {
          if (left.signal.aborted) return;
          if ('message' in line) this.#show(line.message);
          else end = describeEnd(line);
        },
        left.signal,
      );
    } catch (error) {
      end = `✕ ${(error as Error).message}`;
    }
    if (left.signal.aborted) return;
    this.#stop.hidden = true;
    setText(this.#state, `${end}, after ${countOf(this.#count, 'message')}`);
  }

  /** Marks the messages as old unless they belong to the request that the form has now. */
  compare(identity: string | undefined): void {
    const isOld = identity !== this.#identity;
    this.#old.hidden = !isOld;
    setText(
      this.#old,
      isOld ? 'These are messages of an earlier request: the request has changed since.' : '',
    );
  }

  /** Ends the subscription. Messages that are already displayed remain visible. */
  stop(): void {
    if (this.#left === undefined) return;
    this.#left.abort();
    this.#left = undefined;
    this.#stop.hidden = true;
    setText(this.#state, `Stopped after ${countOf(this.#count, 'message')}`);
  }

  #show(message: string): void {
    setText(this.#state, `Live: ${countOf(++this.#count, 'message')}`);
    const text = indentJson(message);
    const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n… and more` : text;
    const head = element('p', { class: 'hosts' }, formatTime(Date.now()));
    this.#messages.prepend(
      element('div', { class: 'message' }, head, element('pre', { tabindex: '0' }, shown)),
    );
    while (this.#messages.childElementCount > MAX_SHOWN) this.#messages.lastElementChild?.remove();
  }
}

function describeEnd({ closed: { code, reason } }: Extract<WatchLine, { readonly closed: unknown }>): string {
  return `✕ the service closed the connection: ${code}${reason === '' ? '' : ` ${reason}`}`;
}
