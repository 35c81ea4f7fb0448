import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { encodeBlockReference } from '../../chain/block-reference.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { requestObject } from '../request.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** Reads layer 1 state from a Nitro header: the layer 1 block number, and the number of delayed messages read so far (`nonce`). */
export async function readArbitrumInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, l1] = await Promise.all([readNode(chain, 'safe', scope), readL1Head(sources, scope)]);
  const block = encodeBlockReference({ kind: 'number', number: node.latest.number });
  const header = await requestObject(chain, 'eth_getBlockByNumber', [block, false], scope);
  if (header['number'] === undefined) throw new ChainError('failed', 'header not found');
  const number = readCount(header['l1BlockNumber']);
  const delayedMessages = readCount(header['nonce']);
  if (number === undefined || delayedMessages === undefined) {
    throw new ChainError('misconfigured', 'a header has no l1BlockNumber: the chain is not Arbitrum Nitro');
  }
  return composeInfo(mode, node, {
    // Without a configured layer 1, the number is the layer 1 block number in the chain's own head. The timestamp is the head's timestamp.
    l1: l1 ?? { number, timestamp: node.latest.timestamp },
    queueIndex: maxBigInt(delayedMessages - 1n, 0n),
  });
}
