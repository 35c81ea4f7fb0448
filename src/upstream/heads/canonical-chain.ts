import type { BlockHeader } from './block.ts';
import { BlockWindow, WINDOW_BLOCKS } from './block-window.ts';
import type { ChainView } from './choose-head.ts';

type HashOf = (number: bigint) => string | undefined;

/** The chain that a network serves: its head and the recent blocks below it. */
export class CanonicalChain {
  readonly #window = new BlockWindow();
  #head: BlockHeader | undefined;

  get head(): BlockHeader | undefined {
    return this.#head;
  }

  hashAt(number: bigint): string | undefined {
    return this.#window.hashAt(number);
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return this.#window.headerAt(number);
  }

  /** Numbers of the blocks whose hash is known, highest first. */
  numbers(): bigint[] {
    return this.#window.numbers();
  }

  /**
   * Makes `next` the head. Blocks below it are known from the views that have it.
   * @returns the hashes that left the chain, highest first: blocks that are not known to be ancestors of `next`,
   * provided that some of them are known not to be
   */
  moveTo(next: BlockHeader, views: readonly ChainView[]): string[] {
    const witnesses = views.filter((view) => view.hashAt(next.number) === next.hash);
    const hashOf: HashOf = (number) => {
      if (number === next.number) return next.hash;
      return number === next.number - 1n ? next.parentHash : agreeOnHash(witnesses, number);
    };
    const orphaned = this.#cut(next, hashOf);
    this.#head = next;
    this.#window.put(next.number, next.hash, next);
    this.#fillBelow(next.number, hashOf, witnesses);
    return orphaned;
  }

  #cut(next: BlockHeader, hashOf: HashOf): string[] {
    if (this.#head === undefined) return [];
    let leaves = next.number <= this.#head.number;
    if (!leaves && this.#window.hashAt(next.number - 1n) === next.parentHash) return [];
    for (const number of this.#window.numbers()) {
      const hash = number > next.number ? undefined : hashOf(number);
      if (hash === this.#window.hashAt(number)) return leaves ? this.#window.cutAbove(number) : [];
      if (hash !== undefined) leaves = true;
    }
    return leaves ? this.#window.cutAbove(undefined) : [];
  }

  #fillBelow(top: bigint, hashOf: HashOf, witnesses: readonly ChainView[]): void {
    const bottom = top - BigInt(WINDOW_BLOCKS);
    for (let number = top - 1n; number > bottom && number >= 0n; number--) {
      if (this.#window.hashAt(number) !== undefined) return;
      const hash = hashOf(number);
      if (hash === undefined) continue;
      const witness = witnesses.find((view) => view.headerAt(number)?.hash === hash);
      this.#window.put(number, hash, witness?.headerAt(number));
    }
  }
}

/** The hash that most of those who know one give; the first of equals. */
function agreeOnHash(views: readonly ChainView[], number: bigint): string | undefined {
  return countHashes(views, number)[0]?.hash;
}

/** Which hashes the views know at a height and how many know each, most known first. */
export function countHashes(
  views: readonly ChainView[],
  number: bigint,
): { readonly hash: string; readonly views: number }[] {
  const counts = new Map<string, number>();
  for (const view of views) {
    const hash = view.hashAt(number);
    if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts].map(([hash, views]) => ({ hash, views })).sort((a, b) => b.views - a.views);
}
