import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { chainIdMark } from '../marks.ts';
import { OP_STACK_MARKS, OP_STACK_ORACLE } from '../op-stack/marks.ts';
import { OP_STACK_PRICING, priceDraft } from '../op-stack/price-draft.ts';
import { readOpStackInfo } from '../op-stack/read-info.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';

/** Optimism, Base, Unichain, World, ...: the chain's own contract computes data and operator fees, which are charged in addition to gas. */
export const opStack: FamilyRow = {
  name: 'op-stack',
  gaps: { 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateOpStackGas(sources, request, scope),
    info: (scope) => readOpStackInfo(sources, scope),
  }),
  oracle: OP_STACK_ORACLE,
  marks: [...OP_STACK_MARKS, chainIdMark('op-stack')],
};

async function estimateOpStackGas(
  sources: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const { chain } = sources;
  const pinned = await pinBlock(chain, request.block, scope);
  const draft = await draftTransaction(chain, request, pinned, scope);
  return priceDraft(sources, draft, OP_STACK_PRICING, scope);
}
