import type { BlockHeader } from './block.ts';
import { BlockWindow } from './block-window.ts';
import type { ChainView } from './choose-head.ts';
import { askFor, findJunction, type GetBlock, type Junction, listAncestors, walkDown } from './join-chain.ts';

/** Blocks learnt below a head that joins nothing known: upstreams a few blocks apart can then be compared. */
const FIRST_DEPTH = 8;

/**
 * The chain of one upstream, as reported by head after head. It is one chain at any time: every hash it knows belongs
 * to `latest` or to an ancestor of it.
 */
export class FollowedChain implements ChainView {
  readonly #getBlock: GetBlock;
  readonly #onHead: (head: BlockHeader) => void;
  readonly #window = new BlockWindow();
  #latest: BlockHeader | undefined;
  /** The newest head that has not been joined to the window yet. */
  #waiting: BlockHeader | undefined;
  #isJoining = false;
  /** What `showBlock` asked for last, and what it has the answers to: a head and a number. */
  #showing = '';
  #shown = '';

  /** `onHead` is called when the head changed, and when more was learnt about the blocks below it. */
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

  /** Number of the recent block of this hash, where it is on the chain. */
  numberOf(hash: string): bigint | undefined {
    return this.#window.numberOf(hash);
  }

  /**
   * Takes a head over: at once where it joins what is known, after asking for blocks in between otherwise. Of heads
   * that come while this goes on, the newest is next.
   */
  async take(head: BlockHeader): Promise<void> {
    this.#waiting = head;
    if (this.#isJoining) return;
    this.#isJoining = true;
    try {
      while (this.#waiting !== undefined) {
        const next: BlockHeader = this.#waiting;
        this.#waiting = undefined;
        if (next.hash === this.#latest?.hash) continue;
        const at = findJunction(this.#window, next);
        if (at === undefined) await this.#joinByAsking(next);
        else this.#apply(next, { at, headers: [next] });
      }
    } finally {
      this.#isJoining = false;
    }
  }

  /** Asks for a block below the head and for the head's parent, once for each head, where they are not in hand. */
  async showBlock(number: bigint): Promise<void> {
    const head = this.#latest;
    const request = `${head?.hash} ${number}`;
    if (head === undefined || this.#showing === request) return;
    this.#showing = request;
    const missing = [head.number - 1n, number].filter(
      (below) => below >= 0n && this.#window.headerAt(below) === undefined,
    );
    const blocks = await Promise.all(missing.map((below) => askFor(below, this.#getBlock)));
    this.#shown = request;
    // Blocks reported meanwhile may be of another branch.
    if (this.hashAt(head.number) !== head.hash || this.#latest === undefined) return;
    const fitting = blocks.filter((block) => block !== undefined).filter((block) => this.#fits(block));
    for (const block of fitting) this.#window.add(block);
    this.#onHead(this.#latest);
  }

  /** Whether `showBlock` has been answered for the head and this number. */
  hasShown(number: bigint): boolean {
    return this.#shown === `${this.#latest?.hash} ${number}`;
  }

  #fits({ number, hash, parentHash }: BlockHeader): boolean {
    const isKnown = (at: bigint, reported: string): boolean =>
      (this.#window.hashAt(at) ?? reported) === reported;
    return isKnown(number, hash) && (number === 0n || isKnown(number - 1n, parentHash));
  }

  async #joinByAsking(head: BlockHeader): Promise<void> {
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
