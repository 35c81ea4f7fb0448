import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { askValue } from '../ask.ts';
import type { GasEstimate } from '../rollup-family.ts';

const FIELDS = ['gasLimit', 'baseFeePerGas', 'priorityFeePerGas'] as const;

/**
 * What `linea_estimateGas` says on nodes with Linea's plugin. It knows more than any formula: the compressed size, and
 * whether a proof has room for the transaction. It always works on the pending block, and takes state overrides second.
 * @returns undefined when the chain has no such method, or it cannot do what is asked
 * @throws ChainError with the node's own reason
 */
export async function askNativeEstimate(
  chain: Chain,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate | undefined> {
  if (!isAboutHead(request)) return undefined;
  const { call, stateOverrides } = request;
  const params = stateOverrides === undefined ? [call] : [call, stateOverrides];
  const answer = await askValue(chain, 'linea_estimateGas', params, scope);
  if (answer === undefined) return undefined;
  const [gasLimit, baseFeePerGas, priorityFeePerGas] = FIELDS.map((name) =>
    readCount((Object(answer) as Readonly<Record<string, unknown>>)[name]),
  );
  if (gasLimit === undefined || baseFeePerGas === undefined || priorityFeePerGas === undefined) {
    throw new ChainError('failed', 'linea_estimateGas does not answer with an estimate');
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
