import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';

/** The answer of a chain that may not have the operation. @throws RpcError `methodNotFound` where it has not */
export function requireAnswer(
  method: string,
  answer: PromiseOrValue<JsonResult | null>,
): PromiseOrValue<JsonResult> {
  return continueWith(answer, (found) => {
    if (found === null) throw new RpcError('methodNotFound', method);
    return found;
  });
}
