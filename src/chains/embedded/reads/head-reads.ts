import type { BlockPlace, HeadReads } from '../../../chain/chain.ts';
import { Listeners } from '../../../util/listeners.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Interval at which the store is polled for blocks that another process has imported, milliseconds. */
const LOOK_MS = 100;

/** Notifies watchers of new heads of the store. Reads the store periodically, but only while a watcher exists. */
export class EngineHeads implements HeadReads {
  readonly #blocks: StoredBlocks;
  readonly #watchers = new Listeners<[]>();
  #timer: NodeJS.Timeout | undefined;
  /** Block number of the head in the last notification; it never decreases. */
  #seen = 0n;

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  get served(): BlockPlace {
    const { header, hashText } = this.#blocks.head;
    return { number: header.number, hash: hashText };
  }

  watch(listener: () => void): () => void {
    if (this.#watchers.size === 0) this.#begin();
    const leave = this.#watchers.add(listener);
    return () => {
      if (leave()) this.close();
    };
  }

  /** Returns undefined, because the embedded chain has no pending transactions. */
  watchPending(): undefined {
    return undefined;
  }

  /** Stops polling and removes all watchers. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watchers.clear();
  }

  #begin(): void {
    this.#seen = this.#blocks.head.header.number;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    const { number } = this.#blocks.head.header;
    if (number === this.#seen) return;
    this.#seen = number;
    this.#watchers.notify();
  }
}
