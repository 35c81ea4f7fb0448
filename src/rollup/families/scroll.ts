import type { CallRequest } from '../../chain/chain.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { askCount } from '../ask.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { type PinnedBlock, pinBlock } from '../estimate/pin-block.ts';
import { encodeSizedTransaction } from '../estimate/signing-payload.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';
import { L1_GAS_PRICE_ORACLE, readScrollL1Fee } from '../scroll/oracle.ts';
import { readScrollInfo } from '../scroll/read-info.ts';

/** `l1BaseFee()` */
const L1_BASE_FEE = '0x519b4bd3';

/** Scroll: data is paid for beside the gas, as the node says, or else the chain's contract. */
export const scroll: FamilyRow = {
  name: 'scroll',
  prefix: 'scroll',
  gaps: { 'ethContext.timestamp': 'l1' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateScrollGas(sources, request, scope),
    info: (scope) => readScrollInfo(sources, scope),
  }),
  recognise: async (probe) => (await probe.callContract(L1_GAS_PRICE_ORACLE, L1_BASE_FEE)) !== undefined,
};

async function estimateScrollGas(
  sources: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const { chain, l1CostMode } = sources;
  const pinned = await pinBlock(chain, request.block, scope);
  const [draft, nodeFee] = await Promise.all([
    draftTransaction(chain, request, pinned, scope),
    askNode(sources, request, pinned, scope),
  ]);
  const { gasLimit, baseFeePerGas, reference } = draft;
  const transaction = encodeSizedTransaction(draft.call, draft.defaults);
  const [tip, l1Cost] = await Promise.all([
    draft.findTip(),
    nodeFee ?? readScrollL1Fee(chain, transaction, reference, scope),
  ]);
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}

/** Scroll's geth works the fee out itself, compression included; newer nodes have no such method. */
function askNode(
  { chain }: RollupSources,
  { call }: CallRequest,
  { parameter }: PinnedBlock,
  scope: RequestScope,
): Promise<bigint | undefined> {
  const params = [call, parameter];
  return askCount(chain, 'scroll_estimateL1DataFee', params, scope);
}
