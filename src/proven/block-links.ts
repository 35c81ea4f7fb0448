import type { BlockChanges } from './block-changes.ts';
import type { BlockState } from './state-nodes.ts';

type Link = { readonly parent: BlockState; readonly changes: BlockChanges };

/** Blocks that are remembered, and from which others may follow. */
export const MAX_LINKS = 16;
/** Of a link without its changes. */
const LINK_BYTES = 500;

/** Blocks at which something is known, and how the states of some follow from that of their parents. Those added first leave first. */
export class BlockLinks {
  readonly #maxBytes: number;
  /** By hash; null where nothing is known to lead there. */
  readonly #links = new Map<string, Link | null>();
  #bytes = 0;

  /** @param maxBytes that all changes may take */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of all changes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a child's state may follow from that of the block. */
  has(hash: string): boolean {
    return this.#links.has(hash);
  }

  get(hash: string): Link | undefined {
    return this.#links.get(hash) ?? undefined;
  }

  /** Others may follow from the block. */
  addBase(hash: string): void {
    if (!this.#links.has(hash)) this.#add(hash, null);
  }

  add(hash: string, link: Link): void {
    this.#remove(hash);
    this.#add(hash, link);
  }

  #add(hash: string, link: Link | null): void {
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

function weigh(link: Link | null): number {
  return LINK_BYTES + (link?.changes.bytes ?? 0);
}
