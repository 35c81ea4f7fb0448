import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { deriveTip, suggestTip } from '../estimate/find-tip.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark } from '../marks.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../rollup-family.ts';

/** Chains that charge for nothing but gas: layer 1 itself, and rollups of which no more is known. */
export const ethereum: FamilyRow = {
  name: 'ethereum',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimatePlainGas(sources, request, scope),
    info: (scope) => readPlainInfo(sources, scope),
  }),
  marks: [chainIdMark('ethereum')],
};

/** Gas and base fee as the chain says, and the tip that it wants. */
export async function estimatePlainGas(
  { chain }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const [{ gasLimit, baseFeePerGas = 0n }, tip] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    suggestTip(chain, scope),
  ]);
  return {
    gasLimit,
    baseFeePerGas,
    priorityFeePerGas: tip ?? (await deriveTip(chain, baseFeePerGas, scope)),
  };
}

/** What every node can say; `verified` is its finalized block. */
export async function readPlainInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const [node, l1] = await Promise.all([
    readNode(sources.chain, 'finalized', scope),
    readL1Head(sources, scope),
  ]);
  return composeInfo(sources.mode, node, { l1 });
}
