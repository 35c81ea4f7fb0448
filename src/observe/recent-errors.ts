import type { ErrorEntry } from './status.ts';

/** Kinds of failures that are kept: the one that was not seen for longest goes first. */
const MAX_ENTRIES = 100;

/** The latest failures that were the service's or a node's, those of a kind together. */
export class RecentErrors {
  /** The one that was seen last is last. */
  readonly #entries = new Map<string, { -readonly [K in keyof ErrorEntry]: ErrorEntry[K] }>();

  note(network: string, method: string, error: string, at: number): void {
    const name = `${network} ${method} ${error}`;
    const entry = this.#entries.get(name) ?? { at, network, method, error, count: 0 };
    entry.at = at;
    entry.count++;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Newest first. */
  list(): ErrorEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry })).reverse();
  }
}
