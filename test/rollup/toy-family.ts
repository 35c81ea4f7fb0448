/** The family of docs/adding-a-rollup.md: it charges a fixed price for every byte of calldata, read from a contract. */

import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import { readWord } from '../../src/rollup/contract.ts';
import { findSuggestedTip } from '../../src/rollup/estimate/find-tip.ts';
import { foldL1Cost } from '../../src/rollup/estimate/fold-l1-cost.ts';
import { pinBlock } from '../../src/rollup/estimate/pin-block.ts';
import { readBasics } from '../../src/rollup/estimate/read-basics.ts';
import { composeInfo, readL1Head, readNode } from '../../src/rollup/info/read-node.ts';
import { contractMark } from '../../src/rollup/marks.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../../src/rollup/rollup-family.ts';
import type { RequestScope } from '../../src/util/request-scope.ts';

const PRICES = '0x70000000000000000000000000000000000000aa';
/** `pricePerByte()` */
const PRICE_PER_BYTE = '0x9ff8f3f6';

export const toy: FamilyRow = {
  name: 'toy',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateToyGas(sources, request, scope),
    async info(scope) {
      const [node, l1] = await Promise.all([
        readNode(sources.chain, 'finalized', scope),
        readL1Head(sources, scope),
      ]);
      return composeInfo(sources.mode, node, { l1 });
    },
  }),
  marks: [contractMark({ address: PRICES, selector: PRICE_PER_BYTE, call: 'pricePerByte()' })],
};

async function estimateToyGas(
  { chain, l1CostMode }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const [{ gasLimit, baseFeePerGas = 0n }, tip = 0n, price] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    findSuggestedTip(chain, scope),
    readWord(chain, { to: PRICES, data: PRICE_PER_BYTE }, pinned.reference, scope),
  ]);
  if (price === undefined) throw new ChainError('misconfigured', `no pricePerByte() at ${PRICES}`);
  const l1Cost = price * BigInt(hexToBytes(request.call.data ?? '0x').length);
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}
