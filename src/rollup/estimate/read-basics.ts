import type { Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readQuantity } from '../answers.ts';
import { type EstimateBlock, findBaseFee } from './pin-block.ts';

/** Data that the estimate of every family needs first. */
export type Basics = {
  readonly header: HeaderView;
  readonly gasLimit: bigint;
  /** Base fee, wei per gas; undefined if the chain has none. */
  readonly baseFeePerGas: bigint | undefined;
};

/** Requests the chain's own gas estimate and the block's header concurrently. */
export async function readBasics(
  chain: Chain,
  request: CallRequest,
  pinned: EstimateBlock,
  scope: RequestScope,
): Promise<Basics> {
  const [header, gasLimit] = await Promise.all([
    pinned.findHeader(),
    readGas(chain, { ...request, block: pinned.reference }, scope),
  ]);
  return { header, gasLimit, baseFeePerGas: findBaseFee(header, request) };
}

async function readGas(chain: Chain, request: CallRequest, scope: RequestScope): Promise<bigint> {
  const gas = readQuantity(
    await chain.execution.estimateGas(request, scope),
    'gas estimate is not a quantity',
    64,
  );
  if (gas === 0n) throw new ChainError('failed', 'gas estimate is zero');
  return gas;
}
