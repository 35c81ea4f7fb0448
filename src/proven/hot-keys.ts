import { StateKeys } from './state-keys.ts';

type Score = { readonly address: string; readonly slot: string | undefined; score: number; isRead: boolean };

/** What is remembered, and what of it is worth a proof at each head: accounts with as many slots together. */
const MAX_SCORES = 8_192;
const MAX_ACCOUNTS = 1_024;
const MAX_SLOTS = 1_024;
/** What is left of a score at the next head, and the score below which nothing is remembered: of one read, after three heads. */
const DECAY = 0.5;
const MIN_SCORE = 0.2;

/** Accounts and slots that are read at the head, by how often of late: heads at which they were read count, not calls. */
export class HotKeys {
  readonly #scores = new Map<string, Score>();

  noteRead(address: string, slot: string | undefined): void {
    const name = slot === undefined ? address : `${address}${slot}`;
    const known = this.#scores.get(name);
    if (known !== undefined) known.isRead = true;
    else if (this.#scores.size < MAX_SCORES)
      this.#scores.set(name, { address, slot, score: 0, isRead: true });
  }

  /** There is another head. @returns what is likely to be read at it, within bounds */
  rotate(): StateKeys {
    for (const [name, entry] of this.#scores) {
      entry.score = entry.score * DECAY + (entry.isRead ? 1 : 0);
      entry.isRead = false;
      if (entry.score < MIN_SCORE) this.#scores.delete(name);
    }
    const hot = new StateKeys();
    let slots = 0;
    for (const { address, slot } of [...this.#scores.values()].sort((a, b) => b.score - a.score)) {
      if (!hot.accounts.has(address) && hot.accounts.size >= MAX_ACCOUNTS) continue;
      if (slot === undefined) hot.addAccount(address);
      else if (slots < MAX_SLOTS) {
        hot.addAccount(address).add(slot);
        slots++;
      }
    }
    return hot;
  }
}
