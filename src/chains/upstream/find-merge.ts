import { ChainError } from '../../chain/errors.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NetworkHead } from '../../pool/heads/network-head.ts';
import type { CancelSource } from '../../util/cancel-source.ts';
import { RequestScope } from '../../util/request-scope.ts';
import type { BlockDirectory } from './block-directory.ts';

const LIMIT_MS = 60_000;

/**
 * Searches in the background for the first block after the merge, from which on blocks have no uncles. Until this block is known, the directory
 * requests blocks to determine whether they have uncles.
 */
export async function searchMerge(
  directory: BlockDirectory,
  head: NetworkHead,
  stopping: CancelSource,
): Promise<void> {
  await head.whenKnown();
  if (head.head?.difficulty !== 0n) return;
  try {
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    stopping.addEventListener('abort', () => scope.abort());
    await findMerge(directory, head.head.number, scope);
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof UpstreamFault)) throw error;
  }
}

/**
 * Searches for the first block after the merge, so that the directory knows at which heights blocks can have uncles. The search takes about 25
 * requests on a chain as long as mainnet. On a chain that never had proof of work, it takes one request.
 * @param head number of a block after the merge
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
