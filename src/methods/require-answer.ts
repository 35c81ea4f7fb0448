import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';

/**
 * Returns the answer of an operation that only some chains implement.
 * @throws RpcError `methodNotFound` where the answer is null
 */
export function requireAnswer(
  method: string,
  answer: PromiseOrValue<JsonResult | null>,
): PromiseOrValue<JsonResult> {
  return continueWith(answer, (found) => {
    if (found === null) throw new RpcError('methodNotFound', method);
    return found;
  });
}
