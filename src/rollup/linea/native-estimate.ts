import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { requestValue } from '../request.ts';
import type { GasEstimate } from '../rollup-family.ts';

const FIELDS = ['gasLimit', 'baseFeePerGas', 'priorityFeePerGas'] as const;

/**
 * Calls `linea_estimateGas` on nodes with Linea's plugin. The node's result is more precise than any formula, because the node knows the compressed
 * size and whether the transaction fits into a proof. The method always runs on the pending block, and accepts state overrides as its second
 * parameter.
 * @returns undefined if the chain does not have the method, or if the method does not support the request
 * @throws ChainError with the node's own reason
 */
export async function requestNativeEstimate(
  chain: Chain,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate | undefined> {
  if (!isAboutHead(request)) return undefined;
  const { call, stateOverrides } = request;
  const params = stateOverrides === undefined ? [call] : [call, stateOverrides];
  const answer = await requestValue(chain, 'linea_estimateGas', params, scope);
  if (answer === undefined) return undefined;
  const [gasLimit, baseFeePerGas, priorityFeePerGas] = FIELDS.map((name) =>
    readCount((Object(answer) as Readonly<Record<string, unknown>>)[name]),
  );
  if (gasLimit === undefined || baseFeePerGas === undefined || priorityFeePerGas === undefined) {
    throw new ChainError('failed', 'the answer of linea_estimateGas is not an estimate');
  }
  return { gasLimit, baseFeePerGas, priorityFeePerGas };
}

function isAboutHead({ block, blockOverrides }: CallRequest): boolean {
  return (
    block.kind === 'tag' &&
    (block.tag === 'latest' || block.tag === 'pending') &&
    blockOverrides === undefined
  );
}
