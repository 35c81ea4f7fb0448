import type { BlockPlace, HeadReads } from '../chain/chain.ts';
import { Listeners } from '../util/listeners.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { NodePendingFeed } from './pending/pending-feed.ts';

/** The head that a network of nodes serves, and the transactions that its nodes announce. */
export class UpstreamHeads implements HeadReads {
  readonly #head: Pick<NetworkHead, 'served'>;
  readonly #pending: NodePendingFeed;
  readonly explainAbsence: () => string;
  readonly #watchers = new Listeners<[]>();

  /** @param explain returns the reason why no block is served, as part of an error message */
  constructor(head: Pick<NetworkHead, 'served'>, pending: NodePendingFeed, explain: () => string) {
    this.#head = head;
    this.#pending = pending;
    this.explainAbsence = explain;
  }

  get served(): BlockPlace | undefined {
    return this.#head.served;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  watch(listener: () => void): () => void {
    return this.#watchers.add(listener);
  }

  watchPending(listener: (hashes: readonly string[]) => void): () => void {
    return this.#pending.watch(listener);
  }

  /** Must be called when `served`, and all data that depends on it, have changed. */
  noteChange(): void {
    this.#watchers.notify();
  }

  close(): void {
    this.#watchers.clear();
    this.#pending.close();
  }
}
