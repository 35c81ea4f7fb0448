import type { RequestScope } from '../util/request-scope.ts';
import type { BlockDirectory } from './block-directory.ts';

/**
 * Looks for the first block after the merge, so that the directory knows for every height whether there can be
 * uncles. About 25 questions on a chain as long as mainnet, one on a chain that never knew proof of work.
 * @param head a height that lies after the merge
 */
export async function findMerge(directory: BlockDirectory, head: bigint, scope: RequestScope): Promise<void> {
  let before = 0n;
  let after = head;
  for (let probe = 1n; before + 1n < after; probe = (before + after) / 2n) {
    const block = await directory.findByNumber(probe, scope);
    if (block === null) return;
    if (block.difficulty === 0n) after = probe;
    else before = probe;
  }
}
