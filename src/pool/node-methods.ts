import { Lru } from '../util/lru.ts';

/** Maximum number of remembered methods per node. The number is limited because clients choose the names of methods. */
const MAX_METHODS = 256;
const MAX_NAMESPACES = 64;
/** Time for which a node counts as lacking a method, ms. The time is limited because the operator of the node may enable the method. */
const LACKS_MS = 60_000;
const HAS_MS = 600_000;
/** Time for which a node's answer to a method that cannot exist is remembered, ms. A missing answer is remembered for `UNANSWERED_MS`. */
const CONTROL_MS = 600_000;
const UNANSWERED_MS = 10_000;

/**
 * Answer of a node to a method that cannot exist in a namespace. `refuses`: the node reports that the method does not exist, so that answers of this
 * node to other methods can be accepted. `unanswered`: no answer is known. `answers`: the node gave another answer, a result or an error. If such a
 * node gives an equal answer to another method, that method may not exist either.
 */
export type Control =
  | { readonly kind: 'refuses' | 'unanswered' }
  | { readonly kind: 'answers'; readonly answer: string };

/** Methods that a node has or lacks, learned from calls of clients. */
export class NodeMethods {
  readonly #lacking: Lru<string, true>;
  readonly #having: Lru<string, true>;
  readonly #controls: Lru<string, Control>;
  readonly #unanswered: Lru<string, Control>;
  /** Control requests in flight, by namespace. */
  readonly #requested = new Map<string, Promise<Control>>();

  /** @param now monotonic clock, milliseconds */
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

  /**
   * Returns the node's answer to a method that cannot exist in a namespace. If no answer is remembered, `ask` requests one, once for all concurrent
   * callers.
   */
  findControl(namespace: string, ask: () => Promise<Control>): Promise<Control> | Control {
    const known =
      this.#controls.get(namespace) ?? this.#unanswered.get(namespace) ?? this.#requested.get(namespace);
    if (known !== undefined) return known;
    const requested = ask().then((control) => {
      this.#requested.delete(namespace);
      (control.kind === 'unanswered' ? this.#unanswered : this.#controls).set(namespace, control);
      return control;
    });
    this.#requested.set(namespace, requested);
    return requested;
  }
}
