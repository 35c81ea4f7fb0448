import type { BlockPlace, HeadReads } from '../../chain/chain.ts';
import { Listeners } from '../../util/listeners.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Time between two looks at the store, which another process may import into, milliseconds. */
const LOOK_MS = 100;

/** The head of the store. It is looked at only while something watches. */
export class EngineHeads implements HeadReads {
  readonly #blocks: StoredBlocks;
  readonly #watchers = new Listeners<[]>();
  #timer: NodeJS.Timeout | undefined;
  /** Number of the head that watchers have been called for; heads of a store only grow. */
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

  /** Blocks of a store have no transactions that wait. */
  watchPending(): undefined {
    return undefined;
  }

  /** Ends all watching. */
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
