import type { BlockHeader } from './block.ts';
import type { BlockWindow } from './block-window.ts';

export type GetBlock = (number: bigint) => Promise<BlockHeader | null>;

/** Connection of a new head to the known blocks. */
export type Junction = {
  /** Number of the highest known block that is the head or an ancestor of the head; undefined if no such block is known. */
  readonly at: bigint | undefined;
  /** The head, and the blocks below it that were read, highest first. */
  readonly headers: readonly BlockHeader[];
};

/** Maximum number of blocks requested to find where a reorg began. */
const MAX_STEPS = 64;

/** Returns the number of the known block that is `header` or its parent; undefined if neither is known. */
export function findJunction(window: BlockWindow, header: BlockHeader): bigint | undefined {
  if (window.hashAt(header.number) === header.hash) return header.number;
  const below = header.number - 1n;
  return window.hashAt(below) === header.parentHash ? below : undefined;
}

/**
 * Requests blocks below a head that skips blocks or is on another branch, until one is connected to the window. Blocks far above the window are not
 * requested, because the block directly above the window shows whether the head is on another branch.
 */
export async function walkDown(
  window: BlockWindow,
  head: BlockHeader,
  getBlock: GetBlock,
): Promise<Junction> {
  const headers: BlockHeader[] = [head];
  let lowest = head;
  for (let step = 0; step < MAX_STEPS; step++) {
    const parent = lowest.number - 1n;
    const known = window.highestUpTo(parent);
    if (known === undefined) break;
    const number = known === parent ? parent : known + 1n;
    const block = await requestAncestor(number, getBlock);
    if (block === undefined || (number === parent && block.hash !== lowest.parentHash)) break;
    headers.push(block);
    const at = findJunction(window, block);
    if (at !== undefined) return { at, headers };
    lowest = block;
  }
  return { at: undefined, headers };
}

/** Reads up to `count` ancestors of a header, highest first. Stops at the first reply that is not the parent of the previous block. */
export async function listAncestors(
  header: BlockHeader,
  count: number,
  getBlock: GetBlock,
): Promise<BlockHeader[]> {
  const ancestors: BlockHeader[] = [];
  let lowest = header;
  while (ancestors.length < count && lowest.number > 0n) {
    const block = await requestAncestor(lowest.number - 1n, getBlock);
    if (block === undefined || block.hash !== lowest.parentHash) break;
    ancestors.push(block);
    lowest = block;
  }
  return ancestors;
}

/** Requests a block by number. Returns undefined if the upstream fails or returns no such block. */
export async function requestAncestor(number: bigint, getBlock: GetBlock): Promise<BlockHeader | undefined> {
  const block = await getBlock(number).catch(() => null);
  return block?.number === number ? block : undefined;
}
