import { Lru } from '../util/lru.ts';

/** Methods of one node that are remembered: clients choose the names. */
const MAX_METHODS = 256;
const MAX_NAMESPACES = 64;
/** How long a node is believed not to have a method: an operator may enable it. */
const LACKS_MS = 60_000;
const HAS_MS = 600_000;
/** How long it is remembered what a node answers to a method that cannot exist, and that it did not answer to that. */
const CONTROL_MS = 600_000;
const UNANSWERED_MS = 10_000;

/**
 * What a node answers to a method that cannot exist in a namespace. `refuses`: that it has no such method, so that its answers to others are its own.
 * `unanswered`: it is not known. Otherwise the answer in short: the same one to another method says nothing.
 */
export type Control =
  | { readonly kind: 'refuses' | 'unanswered' }
  | { readonly kind: 'answers'; readonly answer: string };

/** Which methods a node has, as far as calls of clients have shown. */
export class NodeMethods {
  readonly #lacking: Lru<string, true>;
  readonly #having: Lru<string, true>;
  readonly #controls: Lru<string, Control>;
  readonly #unanswered: Lru<string, Control>;
  /** Controls that are being asked for, by namespace. */
  readonly #asked = new Map<string, Promise<Control>>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#lacking = new Lru(MAX_METHODS, LACKS_MS, now);
    this.#having = new Lru(MAX_METHODS, HAS_MS, now);
    this.#controls = new Lru(MAX_NAMESPACES, CONTROL_MS, now);
    this.#unanswered = new Lru(MAX_NAMESPACES, UNANSWERED_MS, now);
  }

  lacks(method: string): boolean {
    return this.#lacking.get(method) === true;
  }

  has(method: string): boolean {
    return this.#having.get(method) === true;
  }

  noteLacks(method: string): void {
    this.#having.delete(method);
    this.#lacking.set(method, true);
  }

  noteHas(method: string): void {
    this.#lacking.delete(method);
    this.#having.set(method, true);
  }

  /** What the node answers to a method that cannot exist in a namespace: remembered, or from `ask`, once for all who wait for it. */
  findControl(namespace: string, ask: () => Promise<Control>): Promise<Control> | Control {
    const known =
      this.#controls.get(namespace) ?? this.#unanswered.get(namespace) ?? this.#asked.get(namespace);
    if (known !== undefined) return known;
    const asked = ask().then((control) => {
      this.#asked.delete(namespace);
      (control.kind === 'unanswered' ? this.#unanswered : this.#controls).set(namespace, control);
      return control;
    });
    this.#asked.set(namespace, asked);
    return asked;
  }
}
