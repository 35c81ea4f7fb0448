import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { deriveTip, findSuggestedTip } from '../estimate/find-tip.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark } from '../marks.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../rollup-family.ts';

/** Chains that charge only for gas: layer 1 itself, and rollups whose family is unknown. */
export const ethereum: FamilyRow = {
  name: 'ethereum',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateGasWithoutL1Fee(sources, request, scope),
    info: (scope) => readBaseInfo(sources, scope),
  }),
  marks: [chainIdMark('ethereum')],
};

/** Returns the gas, base fee and tip that the chain reports. */
export async function estimateGasWithoutL1Fee(
  { chain }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const [{ gasLimit, baseFeePerGas = 0n }, tip] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    findSuggestedTip(chain, scope),
  ]);
  return {
    gasLimit,
    baseFeePerGas,
    priorityFeePerGas: tip ?? (await deriveTip(chain, baseFeePerGas, scope)),
  };
}

/** Reads the values that every node has; `verified` is the node's finalized block. */
export async function readBaseInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const [node, l1] = await Promise.all([
    readNode(sources.chain, 'finalized', scope),
    readL1Head(sources, scope),
  ]);
  return composeInfo(sources.mode, node, { l1 });
}
