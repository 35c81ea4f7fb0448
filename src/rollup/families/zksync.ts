import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { allowBlockStep, type Comparison } from '../estimate/comparison.ts';
import { type EstimateBlock, findBaseFee, pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark, clientMark, headerMark, methodMark } from '../marks.ts';
import { requestObject } from '../request.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../rollup-family.ts';

/** Tag that only ZKsync's nodes have. */
const COMMITTED_TAG = 'l1_committed';

/** zkSync Era and ZKsync OS: gas includes the layer 1 cost, and there are no tips. */
export const zksync: FamilyRow = {
  name: 'zksync',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateZksyncGas(sources, request, scope),
    info: (scope) => readZksyncInfo(sources, scope),
  }),
  marks: [
    headerMark('the header has l1BatchNumber', (header) => 'l1BatchNumber' in header),
    clientMark(/^zksync/i),
    chainIdMark('zksync'),
    // Era has the first of these methods. ZKsync OS has the same method under the second name. Era and ZKsync OS have the third method.
    methodMark('zks_L1BatchNumber'),
    methodMark('zks_batchNumber'),
    methodMark('zks_getBridgehubContract'),
  ],
};

/** Estimates gas. `zks_estimateFee` accepts neither blocks nor overrides, and ZKsync OS does not have the method. */
async function estimateZksyncGas(
  { chain, noteNative }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  if (isAboutHead(request)) {
    const [header, fee] = await Promise.all([
      pinned.findHeader(),
      requestObject(chain, 'zks_estimateFee', [request.call], scope),
    ]);
    const gasLimit = readCount(fee['gas_limit']);
    const baseFeePerGas = findBaseFee(header, request) ?? readCount(fee['max_fee_per_gas']);
    if (gasLimit !== undefined && baseFeePerGas !== undefined) {
      noteNative?.((later) => compareGas(chain, request, pinned, gasLimit, later));
      return { gasLimit, baseFeePerGas, priorityFeePerGas: 0n };
    }
    if (Object.keys(fee).length > 0)
      throw new ChainError('failed', 'the answer of zks_estimateFee has no gas limit');
  }
  const { gasLimit, baseFeePerGas = 0n } = await readBasics(chain, request, pinned, scope);
  return { gasLimit, baseFeePerGas, priorityFeePerGas: 0n };
}

/**
 * Maximum difference in gas between the results of two gas searches of a node. Each gas search stops within `estimate_gas_acceptable_overestimation`
 * of the minimum (default 1,000; 5,000 is assumed). The node multiplies the found gas by 1.3.
 */
const SEARCH_GAS = 6_500n;

/**
 * Compares the gas that `zks_estimateFee` returns with the gas that `eth_estimateGas` returns. `zks_estimateFee` and `eth_estimateGas` search for the
 * same gas limit, with the same data prices unless a block was added in between.
 */
async function compareGas(
  chain: Chain,
  request: CallRequest,
  pinned: EstimateBlock,
  native: bigint,
  scope: RequestScope,
): Promise<Comparison> {
  const { gasLimit } = await readBasics(chain, request, pinned, scope);
  return {
    what: 'gas',
    native: { from: 'zks_estimateFee', value: native },
    fallback: { from: 'eth_estimateGas', value: gasLimit },
    ...allowBlockStep(maxBigInt(gasLimit - SEARCH_GAS, 0n), gasLimit + SEARCH_GAS),
  };
}

async function readZksyncInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, l1, committed] = await Promise.all([
    readNode(chain, 'finalized', scope),
    readL1Head(sources, scope),
    requestCommitted(chain, scope),
  ]);
  return composeInfo(mode, { ...node, verified: maxBigInt(committed, node.verified) }, { l1 });
}

/** Returns the last block in a batch that was committed to layer 1; 0 if the node does not know the tag. */
async function requestCommitted(chain: RollupSources['chain'], scope: RequestScope): Promise<bigint> {
  try {
    const block = await requestObject(chain, 'eth_getBlockByNumber', [COMMITTED_TAG, false], scope);
    return readCount(block['number']) ?? 0n;
  } catch (error) {
    if (error instanceof ChainError && (error.kind === 'invalid' || error.kind === 'failed')) return 0n;
    throw error;
  }
}

function isAboutHead({ block, stateOverrides, blockOverrides }: CallRequest): boolean {
  const isHead = block.kind === 'tag' && (block.tag === 'latest' || block.tag === 'pending');
  return isHead && stateOverrides === undefined && blockOverrides === undefined;
}
