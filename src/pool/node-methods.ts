import { Lru } from '../util/lru.ts';

/** Methods that are remembered per node; bounded, because clients choose the names. */
const MAX_METHODS = 256;
const MAX_NAMESPACES = 64;
/** Time for which a node counts as lacking a method: an operator may enable it. */
const LACKS_MS = 60_000;
const HAS_MS = 600_000;
/** Lifetimes of a node's answer to a method that cannot exist, and of the absence of an answer. */
const CONTROL_MS = 600_000;
const UNANSWERED_MS = 10_000;

/**
 * A node's answer to a method that cannot exist in a namespace. `refuses`: it reports that it has no such method, so its answers to other methods are
 * its own. `unanswered`: the answer is unknown. `answers`: the answer in short; the same answer to another method carries no information.
 */
export type Control =
  | { readonly kind: 'refuses' | 'unanswered' }
  | { readonly kind: 'answers'; readonly answer: string };

/** Methods that a node has or lacks, as observed from calls of clients. */
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

  /** Returns the node's answer to a method that cannot exist in a namespace: the remembered one, or that of `ask`, which concurrent callers share. */
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
