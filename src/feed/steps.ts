import type { BlockPlace } from '../chain/chain.ts';
import type { FeedBlock, FeedStep } from './feed.ts';

/** Position before the genesis block, as the parent of block 0. */
export const BEFORE_GENESIS: BlockPlace = { number: -1n, hash: '' };

export function addBlock(block: FeedBlock): FeedStep {
  return { kind: 'added', block };
}

export function removeBlock(block: FeedBlock): FeedStep {
  return { kind: 'removed', block };
}

export function isSamePlace(one: BlockPlace, other: BlockPlace): boolean {
  return one.number === other.number && one.hash === other.hash;
}

/** Returns the head of the chain after a step. */
export function findPlaceBehind({ kind, block }: FeedStep): BlockPlace {
  if (kind === 'added') return { number: block.number, hash: block.hash };
  return block.number === 0n ? BEFORE_GENESIS : { number: block.number - 1n, hash: block.parentHash };
}

/** Returns whether the parent of a block is the block at this position. */
export function isChildOf({ number, parentHash }: FeedBlock, place: BlockPlace): boolean {
  return number === place.number + 1n && (number === 0n || parentHash === place.hash);
}
