import { maxBigInt, minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount, readMembers } from '../answers.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { chainIdMark, clientMark, methodMark } from '../marks.ts';
import { requestGasPrice, requestObject } from '../request.ts';
import type { FamilyRow, GasEstimate, RollupInfo, RollupSources } from '../rollup-family.ts';

/** Metis and other descendants of Optimism's l2geth: gas includes the layer 1 cost, and the node implements `rollup_getInfo` itself. */
export const l2geth: FamilyRow = {
  name: 'l2geth',
  gaps: {},
  create: (sources) => ({
    estimateGas: (request, scope) => estimateL2gethGas(sources, request, scope),
    info: (scope) => readL2gethInfo(sources, scope),
  }),
  marks: [
    clientMark(/l2geth|metis/i),
    chainIdMark('l2geth'),
    methodMark('rollup_gasPrices'),
    methodMark('rollup_getInfo'),
  ],
};

async function estimateL2gethGas(
  { chain }: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  // The node rejects a block hash, because the node's estimate always runs on its latest block.
  const isHead = request.block.kind === 'tag' && request.block.tag === 'latest';
  const [{ gasLimit, baseFeePerGas = 0n }, price] = await Promise.all([
    readBasics(chain, request, isHead ? { ...pinned, reference: request.block } : pinned, scope),
    requestGasPrice(chain, scope),
  ]);
  if (price === undefined)
    throw new ChainError('misconfigured', 'the node has no eth_gasPrice: it is not l2geth');
  return { gasLimit, baseFeePerGas, priorityFeePerGas: maxBigInt(price - baseFeePerGas, 0n) };
}

/** Returns the node's own `rollup_getInfo`. @throws ChainError `misconfigured` if the node does not have the method */
async function readL2gethInfo({ chain }: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const info = await requestObject(chain, 'rollup_getInfo', [], scope);
  const { mode, syncing } = info;
  const l1 = readMembers(info, 'ethContext');
  const progress = readMembers(info, 'rollupContext');
  const blockNumber = readCount(l1['blockNumber']);
  const index = readCount(progress['index']);
  if ((mode !== 'sequencer' && mode !== 'verifier') || blockNumber === undefined || index === undefined) {
    throw new ChainError(
      'misconfigured',
      'the node has no rollup_getInfo of the usual form: it is not l2geth',
    );
  }
  return {
    mode,
    syncing: syncing === true,
    ethContext: { blockNumber, timestamp: readCount(l1['timestamp']) ?? 0n },
    rollupContext: {
      queueIndex: readCount(progress['queueIndex']) ?? 0n,
      index,
      verifiedIndex: minBigInt(readCount(progress['verifiedIndex']) ?? 0n, index),
    },
  };
}
