import type { BlockHeader } from './block.ts';
import { BlockWindow } from './block-window.ts';
import type { ChainView } from './choose-head.ts';
import {
  findJunction,
  type GetBlock,
  type Junction,
  listAncestors,
  requestAncestor,
  walkDown,
} from './link-chain.ts';

/**
 * Number of ancestors fetched for a head that is not connected to a known block. With this many ancestors, upstreams that are a few blocks apart can
 * be compared.
 */
const FIRST_DEPTH = 8;

/** The chain of one upstream, built from its heads. Invariant: every known hash belongs to `latest` or to an ancestor of `latest`. */
export class FollowedChain implements ChainView {
  readonly #getBlock: GetBlock;
  readonly #onHead: (head: BlockHeader) => void;
  readonly #window = new BlockWindow();
  #latest: BlockHeader | undefined;
  /** The newest head that is not yet connected to the window. */
  #waiting: BlockHeader | undefined;
  #isLinking = false;
  /** Last request that `showBlock` started, as a head hash and a block number. `#shown` is the last request that was completed. */
  #showing = '';
  #shown = '';

  /** @param onHead called when the head has changed, and when more blocks below the head have become known */
  constructor(getBlock: GetBlock, onHead: (head: BlockHeader) => void) {
    this.#getBlock = getBlock;
    this.#onHead = onHead;
  }

  get latest(): BlockHeader | undefined {
    return this.#latest;
  }

  hashAt(number: bigint): string | undefined {
    return this.#window.hashAt(number);
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return this.#window.headerAt(number);
  }

  /** Returns the number of a recent block on the chain by its hash; undefined if the block is not known. */
  numberOf(hash: string): bigint | undefined {
    return this.#window.numberOf(hash);
  }

  /**
   * Adopts a head: immediately if it is connected to a known block, otherwise after requests for the blocks in between. If several heads arrive in
   * the meantime, only the newest is processed next.
   */
  async take(head: BlockHeader): Promise<void> {
    this.#waiting = head;
    if (this.#isLinking) return;
    this.#isLinking = true;
    try {
      while (this.#waiting !== undefined) {
        const next: BlockHeader = this.#waiting;
        this.#waiting = undefined;
        if (next.hash === this.#latest?.hash) continue;
        const at = findJunction(this.#window, next);
        if (at === undefined) await this.#linkByRequesting(next);
        else this.#apply(next, { at, headers: [next] });
      }
    } finally {
      this.#isLinking = false;
    }
  }

  /**
   * Requests the block of this number and the parent of the head, if their headers are not known yet. Each pair of head and number is requested once.
   */
  async showBlock(number: bigint): Promise<void> {
    const head = this.#latest;
    const request = `${head?.hash} ${number}`;
    if (head === undefined || this.#showing === request) return;
    this.#showing = request;
    const missing = [head.number - 1n, number].filter(
      (below) => below >= 0n && this.#window.headerAt(below) === undefined,
    );
    const blocks = await Promise.all(missing.map((below) => requestAncestor(below, this.#getBlock)));
    this.#shown = request;
    // If the head has moved to another branch in the meantime, the returned blocks may belong to that branch.
    if (this.hashAt(head.number) !== head.hash || this.#latest === undefined) return;
    const fitting = blocks.filter((block) => block !== undefined).filter((block) => this.#fits(block));
    for (const block of fitting) this.#window.add(block);
    this.#onHead(this.#latest);
  }

  /** Whether `showBlock` has completed for the current head and this number. */
  hasShown(number: bigint): boolean {
    return this.#shown === `${this.#latest?.hash} ${number}`;
  }

  #fits({ number, hash, parentHash }: BlockHeader): boolean {
    const isKnown = (at: bigint, reported: string): boolean =>
      (this.#window.hashAt(at) ?? reported) === reported;
    return isKnown(number, hash) && (number === 0n || isKnown(number - 1n, parentHash));
  }

  async #linkByRequesting(head: BlockHeader): Promise<void> {
    const junction = await walkDown(this.#window, head, this.#getBlock);
    this.#apply(head, junction);
    if (junction.at !== undefined) return;
    const ancestors = await listAncestors(
      head,
      FIRST_DEPTH,
      async (number) => this.#window.headerAt(number) ?? this.#getBlock(number),
    );
    for (const header of ancestors) this.#window.add(header);
    if (ancestors.length > 0) this.#onHead(head);
  }

  #apply(head: BlockHeader, junction: Junction): void {
    this.#window.cutAbove(junction.at);
    for (const header of junction.headers.toReversed()) this.#window.add(header);
    this.#latest = head;
    this.#onHead(head);
  }
}
