import type { BlockPlace, HeadReads } from '../chain/chain.ts';
import type { Listeners } from '../util/listeners.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { NodePendingFeed } from './pending/pending-feed.ts';

/** The head of a network that upstream nodes serve, and the pending transactions that these nodes announce. */
export class UpstreamHeads implements HeadReads {
  readonly #head: Pick<NetworkHead, 'served'>;
  readonly #pending: NodePendingFeed;
  readonly explainAbsence: () => string;
  readonly #announced: Listeners<[]>;

  /**
   * @param announced notified when `served`, and all data that depends on it, have changed
   * @param explain returns the reason why no block is served, as part of an error message
   */
  constructor(
    head: Pick<NetworkHead, 'served'>,
    pending: NodePendingFeed,
    announced: Listeners<[]>,
    explain: () => string,
  ) {
    this.#head = head;
    this.#pending = pending;
    this.#announced = announced;
    this.explainAbsence = explain;
  }

  get served(): BlockPlace | undefined {
    return this.#head.served;
  }

  watch(listener: () => void): () => void {
    return this.#announced.add(listener);
  }

  watchPending(listener: (hashes: readonly string[]) => void): () => void {
    return this.#pending.watch(listener);
  }

  close(): void {
    this.#announced.clear();
    this.#pending.close();
  }
}
