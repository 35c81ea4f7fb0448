import type { ErrorEntry } from './status.ts';

/** Maximum distinct failures; the least recently seen one is evicted. */
const MAX_ENTRIES = 100;

/** Latest failures of the service or of nodes, grouped by network, method and error. */
export class RecentErrors {
  /** Ordered by last occurrence. */
  readonly #entries = new Map<string, { -readonly [K in keyof ErrorEntry]: ErrorEntry[K] }>();

  /** @param at Unix milliseconds */
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

  /** Returns the entries, newest first. */
  list(): ErrorEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry })).reverse();
  }
}
