import { countOf } from '../../../util/count-of.ts';
import { element, setText } from '../dom.ts';
import { formatTime } from '../format.ts';
import type { KnownInterfaces } from './abi/known-interfaces.ts';
import { indentJson } from './indent-json.ts';
import { formatFailure, type RpcFailure } from './outcome.ts';
import type { SentRequest } from './sent-request.ts';
import { watchMessages } from './server.ts';
import { createNotificationView, describeNotification } from './views/notification-view.ts';
import type { WatchLine } from './wire.ts';

/** Maximum displayed notifications, the latest first. */
const MAX_SHOWN = 50;
/** Maximum displayed characters of a message. */
const MAX_TEXT = 20_000;

type WatchState = 'connecting' | 'live' | 'stopped' | 'ended';

const STATES: Readonly<Record<WatchState, string>> = {
  connecting: '○ connecting',
  live: '● live',
  stopped: '■ stopped',
  ended: '✕ ended',
};
const TONES: Readonly<Partial<Record<WatchState, string>>> = { live: 'ok', ended: 'bad' };

/** A message of the service: the response to the subscription, or a notification. */
type WatchedMessage = {
  readonly error?: RpcFailure;
  readonly params?: { readonly result?: unknown };
};

/** Displays the notifications of a subscription as they arrive, until it is stopped. */
export class WatchView {
  readonly root: HTMLElement;
  readonly #state: HTMLElement = element('span', { class: 'pill' });
  /** Beside the live region, because screen readers need not announce each notification. */
  readonly #counted: HTMLElement = element('span', { class: 'quiet' });
  readonly #end: HTMLElement = element('span', { class: 'bad' });
  readonly #sent: HTMLElement = element('p', { class: 'hosts' });
  readonly #old: HTMLElement = element('p', { class: 'old', role: 'status' });
  readonly #stop: HTMLButtonElement = element('button', { type: 'button' }, 'Stop');
  readonly #messages: HTMLElement = element('div', {
    class: 'messages',
    role: 'region',
    'aria-label': 'Notifications',
    tabindex: '-1',
  });
  #left: AbortController | undefined;
  #count = 0;
  #identity: string | undefined;

  constructor() {
    this.#old.hidden = true;
    this.#stop.addEventListener('click', () => {
      this.stop();
      // The button disappears, and the focus would start again at the top of the page.
      this.#messages.focus();
    });
    const state = element('p', { class: 'watch-state', role: 'status' }, this.#state, ' ', this.#end);
    const head = element('div', { class: 'watch-head' }, state, this.#counted, this.#stop);
    this.root = element('div', { class: 'answer' }, this.#old, head, this.#sent, this.#messages);
    this.root.hidden = true;
  }

  get isRunning(): boolean {
    return this.#left !== undefined;
  }

  /** Opens the subscription of this request, and ends the previous subscription. */
  async start(request: SentRequest, interfaces: KnownInterfaces): Promise<void> {
    this.stop();
    const { sent, identity, label } = request;
    this.#identity = identity;
    setText(this.#sent, label);
    this.compare(identity);
    const left = new AbortController();
    this.#left = left;
    this.#count = 0;
    this.#messages.replaceChildren();
    this.root.hidden = false;
    this.#showState('connecting');
    let end = 'the connection has ended';
    try {
      await watchMessages(
        sent,
        (line) => {
          if (left.signal.aborted) return;
          if ('message' in line) this.#take(line.message, request, interfaces);
          else end = describeEnd(line);
        },
        left.signal,
      );
    } catch (error) {
      end = (error as Error).message;
    }
    if (left.signal.aborted) return;
    this.#left = undefined;
    this.#showState('ended', end);
  }

  /** Marks the notifications as old unless they belong to the request that the form has now. */
  compare(identity: string | undefined): void {
    const isOld = identity !== this.#identity;
    this.#old.hidden = !isOld;
    this.#messages.classList.toggle('stale', isOld);
    setText(
      this.#old,
      isOld ? 'These are notifications of an earlier request: the request has changed since.' : '',
    );
  }

  /** Ends the subscription. Notifications that are already displayed remain visible. */
  stop(): void {
    if (this.#left === undefined) return;
    this.#left.abort();
    this.#left = undefined;
    this.#showState('stopped');
  }

  /** The first message answers the subscription itself. All later ones are notifications. */
  #take(message: string, request: SentRequest, interfaces: KnownInterfaces): void {
    const { error, params } = JSON.parse(message) as WatchedMessage;
    if (error !== undefined) {
      this.stop();
      this.#showState('ended', formatFailure(error));
    } else if (params === undefined) this.#showState('live');
    else this.#show(message, params.result, request, interfaces);
  }

  #show(message: string, result: unknown, request: SentRequest, interfaces: KnownInterfaces): void {
    this.#count++;
    this.#showCount();
    const time = element('span', { class: 'quiet' }, formatTime(Date.now()));
    const line = element('summary', {}, time, ` ${describeNotification(result, interfaces)}`);
    const details = element('details', { class: 'message' }, line);
    details.addEventListener(
      'toggle',
      () => {
        const text = indentJson(message);
        const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n… and more` : text;
        const json = element('details', {}, element('summary', {}, 'JSON'));
        json.append(element('pre', { tabindex: '0' }, shown));
        details.append(...createNotificationView(result, request, interfaces), json);
      },
      { once: true },
    );
    this.#messages.prepend(details);
    while (this.#messages.childElementCount > MAX_SHOWN) this.#messages.lastElementChild?.remove();
  }

  /** @param end why the subscription has ended */
  #showState(state: WatchState, end = ''): void {
    setText(this.#state, STATES[state]);
    this.#state.className = `pill ${TONES[state] ?? ''}`.trim();
    setText(this.#end, end);
    this.#stop.hidden = state === 'stopped' || state === 'ended';
    this.#showCount();
  }

  #showCount(): void {
    const none = this.isRunning ? 'no notification yet' : 'no notification';
    setText(this.#counted, this.#count === 0 ? none : countOf(this.#count, 'notification'));
  }
}

function describeEnd({ closed: { code, reason } }: Extract<WatchLine, { readonly closed: unknown }>): string {
  return `the service closed the connection: ${code}${reason === '' ? '' : ` ${reason}`}`;
}
