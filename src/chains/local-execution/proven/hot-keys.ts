import { RecencyList } from '../../../util/recency-list.ts';
import { StateKeys } from './state-keys.ts';

type Key = { readonly name: string; readonly address: string; readonly slot: string | undefined };
/** Key that was read at the current head and has no score yet. */
type FreshKey = Key & { newer: FreshKey | undefined; older: FreshKey | undefined };
type Score = Key & { score: number; isRead: boolean };

/** Maximum number of keys with a score, and maximum number of keys without a score at one head (`MAX_FRESH`). */
const MAX_SCORES = 6_144;
const MAX_FRESH = 6_144;
/** Maximum numbers of accounts and of slots that are chosen at each head, over all accounts. */
const MAX_ACCOUNTS = 1_024;
const MAX_SLOTS = 1_024;
/**
 * A score decays by this factor per head, and a key with a score below `MIN_SCORE` is dropped. With these values, a key that was read once is stored
 * for three heads.
 */
const DECAY = 0.5;
const MIN_SCORE = 0.2;
/**
 * Number of levels per point of score. Scores are below 2. The scores in one level differ by less than 1 / 128, so the order of keys depends on their
 * reads at the last seven heads.
 */
const LEVELS_A_POINT = 128;

/**
 * Accounts and slots that are read at the head, scored by recent use. A score counts the heads at which a key was read, not the calls. If too many
 * keys are read at one head, keys with a high score have priority, and then the newest keys without a score.
 */
export class HotKeys {
  readonly #scores = new Map<string, Score>();
  readonly #fresh = new Map<string, FreshKey>();
  readonly #order = new RecencyList<FreshKey>();

  noteRead(address: string, slot: string | undefined): void {
    const name = slot === undefined ? address : `${address}${slot}`;
    const known = this.#scores.get(name);
    if (known !== undefined) known.isRead = true;
    else if (!this.#fresh.has(name)) {
      const oldest = this.#fresh.size < MAX_FRESH ? undefined : this.#order.oldest;
      if (oldest !== undefined) {
        this.#order.remove(oldest);
        this.#fresh.delete(oldest.name);
      }
      const key: FreshKey = { name, address, slot, newer: undefined, older: undefined };
      this.#fresh.set(name, key);
      this.#order.add(key);
    }
  }

  /** Updates the scores at a new head. @returns the keys that are most likely to be read at this head */
  rotate(): StateKeys {
    for (const [name, entry] of this.#scores) {
      entry.score = entry.score * DECAY + (entry.isRead ? 1 : 0);
      entry.isRead = false;
      if (entry.score < MIN_SCORE) this.#scores.delete(name);
    }
    for (const [name, { address, slot }] of this.#fresh)
      this.#scores.set(name, { name, address, slot, score: 1, isRead: false });
    this.#fresh.clear();
    this.#order.clear();
    return this.#takeBest();
  }

  /** Drops the keys with the lowest scores beyond `MAX_SCORES`. @returns the chosen keys, highest score first */
  #takeBest(): StateKeys {
    const hot = new StateKeys();
    let slots = 0;
    let cached = 0;
    for (const level of this.#listLevels())
      for (const { name, address, slot } of level) {
        if (++cached > MAX_SCORES) this.#scores.delete(name);
        else if (!hot.accounts.has(address) && hot.accounts.size >= MAX_ACCOUNTS) continue;
        else if (slot === undefined) hot.addAccount(address);
        else if (slots < MAX_SLOTS) {
          hot.addAccount(address).add(slot);
          slots++;
        }
      }
    return hot;
  }

  /** Groups keys by score, highest first. A bucket sort is used, because it needs no comparisons. */
  #listLevels(): readonly (readonly Score[])[] {
    const levels: Score[][] = Array.from({ length: 2 * LEVELS_A_POINT }, () => []);
    for (const entry of this.#scores.values()) levels[Math.floor(entry.score * LEVELS_A_POINT)]?.push(entry);
    return levels.reverse();
  }
}
