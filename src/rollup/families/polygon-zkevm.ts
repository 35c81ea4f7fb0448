import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { allowBlockStep, type Comparison } from '../estimate/comparison.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark, clientMark, methodMark } from '../marks.ts';
import { requestCount, requestGasPrice } from '../request.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../rollup-family.ts';

/** Polygon zkEVM and CDK chains: there is no base fee, and the node reports a gas price that covers the layer 1 cost. */
export const polygonZkevm: FamilyRow = {
  name: 'polygon-zkevm',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimatePolygonGas(sources, request, scope),
    info: (scope) => readPolygonInfo(sources, scope),
  }),
  marks: [
    clientMark(/zkevm|cdk-erigon/i),
    chainIdMark('polygon-zkevm'),
    methodMark('zkevm_consolidatedBlockNumber'),
    methodMark('zkevm_batchNumber'),
  ],
};

async function estimatePolygonGas(
  { chain, noteNative }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const params = [request.call, pinned.parameter];
  const [{ gasLimit }, price] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    requestCount(chain, 'zkevm_estimateGasPrice', params, scope),
  ]);
  if (price !== undefined) {
    noteNative?.((later) => compareFee(chain, params, price * gasLimit, later));
    return { gasLimit, baseFeePerGas: 0n, priorityFeePerGas: price };
  }
  const [fee, general] = await Promise.all([
    requestCount(chain, 'zkevm_estimateFee', params, scope),
    requestGasPrice(chain, scope),
  ]);
  const priorityFeePerGas = fee === undefined ? general : fee / gasLimit;
  if (priorityFeePerGas === undefined) {
    throw new ChainError(
      'misconfigured',
      'the node has no zkevm_estimateGasPrice, zkevm_estimateFee or eth_gasPrice',
    );
  }
  return { gasLimit, baseFeePerGas: 0n, priorityFeePerGas };
}

/**
 * Compares gas price times gas with the result of `zkevm_estimateFee`. The node computes its result as the same product, and derives both gas prices
 * from the gas price of layer 1.
 */
async function compareFee(
  chain: Chain,
  params: readonly unknown[],
  native: bigint,
  scope: RequestScope,
): Promise<Comparison | undefined> {
  const fee = await requestCount(chain, 'zkevm_estimateFee', params, scope);
  if (fee === undefined) return undefined;
  return {
    what: 'fee, wei',
    native: { from: 'zkevm_estimateGasPrice x gas', value: native },
    fallback: { from: 'zkevm_estimateFee', value: fee },
    ...allowBlockStep(fee, fee),
  };
}

async function readPolygonInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, l1, consolidated] = await Promise.all([
    // Virtual batches are posted to layer 1; consolidated batches also have a validity proof on layer 1.
    readNode(chain, 'safe', scope),
    readL1Head(sources, scope),
    requestCount(chain, 'zkevm_consolidatedBlockNumber', [], scope),
  ]);
  const verified = maxBigInt(consolidated ?? 0n, node.verified);
  return composeInfo(mode, { ...node, verified }, { l1 });
}
