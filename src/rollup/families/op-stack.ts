import type { CallRequest, CallScope } from '../../chain/chain.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { encodeSigningPayload } from '../estimate/signing-payload.ts';
import { readL1Fee, readOperatorFee } from '../op-stack/oracle.ts';
import { readOpStackInfo } from '../op-stack/read-info.ts';
import { recogniseOpStack } from '../op-stack/recognise.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';

/** Optimism, Base, Unichain, World, ...: data and operator are paid for beside the gas, as the chain's own contract says. */
export const opStack: FamilyRow = {
  name: 'op-stack',
  prefix: 'op',
  gaps: { 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateOpStackGas(sources, request, scope),
    info: (scope) => readOpStackInfo(sources, scope),
  }),
  recognise: recogniseOpStack,
};

async function estimateOpStackGas(
  { chain, l1CostMode }: RollupSources,
  request: CallRequest,
  scope: CallScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const draft = await draftTransaction(chain, request, pinned, scope);
  const { gasLimit, baseFeePerGas, reference } = draft;
  const transaction = encodeSigningPayload(draft.call, draft.defaults);
  const [tip, l1Fee, operatorFee] = await Promise.all([
    draft.findTip(),
    readL1Fee(chain, transaction, reference, scope),
    readOperatorFee(chain, gasLimit, reference, scope),
  ]);
  const priorityFeePerGas = foldL1Cost({ gasLimit, tip, l1Cost: l1Fee + operatorFee }, l1CostMode);
  return { gasLimit, baseFeePerGas, priorityFeePerGas };
}
