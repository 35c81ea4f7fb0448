import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { UNSUPPORTED } from '../chain/errors.ts';
import { RpcError } from '../rpc/errors.ts';
import type { MethodContext } from './method-context.ts';

/**
 * Sends a JSON-RPC method by name to the network's chain. Methods for which `Chain` has no typed operation use this function.
 * @param method name as in the JSON-RPC request
 * @throws RpcError `methodNotFound` when the chain has no such method
 */
export function callChain(
  method: string,
  params: readonly unknown[],
  { network, scope }: MethodContext,
): PromiseOrValue<JsonResult> {
  return continueWith(network.chain.request(method, params, scope), (answer) =>
    requireMethod(answer, method),
  );
}

/**
 * Returns a chain's answer unless it is `UNSUPPORTED`.
 * @throws RpcError `methodNotFound` where the chain has no such method
 */
export function requireMethod(answer: JsonResult | typeof UNSUPPORTED, method: string): JsonResult {
  if (answer === UNSUPPORTED) throw new RpcError('methodNotFound', method);
  return answer;
}
