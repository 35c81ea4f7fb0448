import type { HeadReads } from '../chain/chain.ts';

type SyncListener = (isSynced: boolean) => void;

/** Reports whether there is a served head, and each change of that state. The chain is watched only while there are listeners. */
export class SyncFeed {
  readonly #heads: Pick<HeadReads, 'served' | 'watch'>;
  /** Each registration has its own object, so that a function may be registered twice. */
  readonly #listeners = new Set<{ readonly listener: SyncListener }>();
  #unwatch: (() => void) | undefined;
  #wasSynced = false;

  constructor(heads: Pick<HeadReads, 'served' | 'watch'>) {
    this.#heads = heads;
  }

  get isSynced(): boolean {
    return this.#heads.served !== undefined;
  }

  watch(listener: SyncListener): () => void {
    if (this.#unwatch === undefined) {
      this.#wasSynced = this.isSynced;
      this.#unwatch = this.#heads.watch(() => this.#look());
    }
    const entry = { listener };
    this.#listeners.add(entry);
    return () => this.#remove(entry);
  }

  close(): void {
    this.#listeners.clear();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #remove(entry: { readonly listener: SyncListener }): void {
    if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.close();
  }

  #look(): void {
    const { isSynced } = this;
    if (isSynced === this.#wasSynced) return;
    this.#wasSynced = isSynced;
    for (const entry of this.#listeners) {
      try {
        entry.listener(isSynced);
      } catch {
        this.#remove(entry);
      }
    }
  }
}
