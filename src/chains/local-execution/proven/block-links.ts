import type { BlockChanges } from './block-changes.ts';
import type { BlockState } from './state-nodes.ts';

type Link = { readonly parent: BlockState; readonly changes: BlockChanges };

/** Maximum number of blocks with stored changes; also the maximum number of blocks by which state is rolled forward at once. */
export const MAX_LINKS = 16;
/** Approximate heap size of a link, bytes. The state changes of its block are not included. */
const LINK_BYTES = 500;

/** State changes of recent blocks, each with the block's parent (a link). The oldest links are evicted first. */
export class BlockLinks {
  readonly #maxBytes: number;
  /** Links by block hash. */
  readonly #links = new Map<string, Link>();
  #bytes = 0;

  /** @param maxBytes limit on the total heap size of all links */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Approximate heap size of all links, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: string): Link | undefined {
    return this.#links.get(hash);
  }

  add(hash: string, link: Link): void {
    this.#remove(hash);
    this.#links.set(hash, link);
    this.#bytes += weigh(link);
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MAX_LINKS && this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  #remove(hash: string): void {
    const link = this.#links.get(hash);
    if (link === undefined) return;
    this.#links.delete(hash);
    this.#bytes -= weigh(link);
  }
}

function weigh({ changes }: Link): number {
  return LINK_BYTES + changes.bytes;
}
