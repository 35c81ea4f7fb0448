import type { CallScope } from '../../chain/chain.ts';
import { maxBigInt } from '../../primitives/bigint.ts';
import { readCount } from '../answers.ts';
import { askCount, askObject } from '../ask.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** Scroll's geth tells how far it has read layer 1, its messages and its batches; newer nodes tell less. */
export async function readScrollInfo(sources: RollupSources, scope: CallScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, head, syncHeight, queueIndex, status] = await Promise.all([
    readNode(chain, 'finalized', scope),
    readL1Head(sources, scope),
    askCount(chain, 'scroll_getL1SyncHeight', [], scope),
    askCount(chain, 'scroll_getLatestRelayedQueueIndex', [], scope),
    askObject(chain, 'scroll_syncStatus', [], scope),
  ]);
  const finalized = readCount(status['l2FinalizedBlockHeight']) ?? 0n;
  const l1 = head ?? (syncHeight === undefined ? undefined : { number: syncHeight, timestamp: 0n });
  return composeInfo(mode, { ...node, verified: maxBigInt(finalized, node.verified) }, { l1, queueIndex });
}
