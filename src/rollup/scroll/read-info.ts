import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount, readMembers } from '../answers.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { requestCount, requestObject } from '../request.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/**
 * Reads the progress of Scroll's nodes. geth reports its layer 1 sync height, relayed messages and finalized batches. Scroll's newer node software
 * reports layer 1 and the last block that was committed to layer 1.
 */
export async function readScrollInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, head, syncHeight, queueIndex, status, newer] = await Promise.all([
    readNode(chain, 'safe', scope),
    readL1Head(sources, scope),
    requestCount(chain, 'scroll_getL1SyncHeight', [], scope),
    requestCount(chain, 'scroll_getLatestRelayedQueueIndex', [], scope),
    requestObject(chain, 'scroll_syncStatus', [], scope),
    requestObject(chain, 'rollupNode_status', [], scope),
  ]);
  const finalized = readCount(status['l2FinalizedBlockHeight']) ?? 0n;
  const height = syncHeight ?? readCount(readMembers(newer, 'l1')['latest']);
  const committed =
    readCount(readMembers(readMembers(readMembers(newer, 'l2'), 'fcs'), 'safe')['number']) ?? 0n;
  const l1 = head ?? (height === undefined ? undefined : { number: height, timestamp: 0n });
  const verified = [finalized, committed, node.verified].reduce(maxBigInt);
  return composeInfo(mode, { ...node, verified }, { l1, queueIndex });
}
