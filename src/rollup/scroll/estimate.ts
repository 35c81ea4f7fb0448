import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { type EstimateBlock, pinBlock } from '../estimate/pin-block.ts';
import { encodeSizedTransaction } from '../estimate/signing-payload.ts';
import { requestCount } from '../request.ts';
import type { GasEstimate, RollupSources } from '../rollup-family.ts';
import { compareScrollFee } from './compare.ts';
import { countsCompressed, readScrollL1Fee, type ScrollPricing } from './oracle.ts';

/** Estimates gas, tip and data fee. The node reports the data fee, or else the chain's oracle does. */
export async function estimateScrollGas(
  sources: RollupSources,
  pricing: ScrollPricing,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const { chain, l1CostMode, noteNative } = sources;
  const pinned = await pinBlock(chain, request.block, scope);
  const [draft, nodeFee, isCompressed] = await Promise.all([
    draftTransaction(chain, request, pinned, scope),
    sendToNode(sources, pricing, request, pinned, scope),
    countsCompressed(chain, pricing, pinned.reference, scope),
  ]);
  const { gasLimit, baseFeePerGas, reference } = draft;
  const count = async (): Promise<Uint8Array> => {
    const transaction = encodeSizedTransaction(draft.call, draft.defaults);
    return isCompressed ? cut(transaction) : transaction;
  };
  const [tip, l1Cost] = await Promise.all([
    draft.findTip(),
    nodeFee ?? readScrollL1Fee(chain, pricing, await count(), reference, scope),
  ]);
  if (nodeFee !== undefined)
    noteNative?.(async (later) => {
      const counted = { bytes: await count(), isCompressed };
      return compareScrollFee(chain, pricing, nodeFee, counted, reference, later);
    });
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}

async function cut(transaction: Uint8Array): Promise<Uint8Array> {
  const { findCompressedSize } = await import('./compressed-size.ts');
  return transaction.subarray(0, await findCompressedSize(transaction));
}

/** Requests the fee from the node. Scroll's geth computes the fee, compression included; newer node software does not have `nodeMethod`. */
function sendToNode(
  { chain }: RollupSources,
  { nodeMethod }: ScrollPricing,
  { call }: CallRequest,
  { parameter }: EstimateBlock,
  scope: RequestScope,
): Promise<bigint | undefined> {
  return requestCount(chain, nodeMethod, [call, parameter], scope);
}
