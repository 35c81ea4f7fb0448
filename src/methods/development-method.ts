import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { requireMethod } from './call-chain.ts';
import { explainRefusal } from './development-access.ts';
import type { MethodContext } from './method-context.ts';
import { createNodeMethod } from './node-method.ts';

/**
 * Creates a method of a network's development node. `authorizeClient` decides which clients may call it. The client's key must permit sending, and
 * must not be bound to contracts.
 * @param label name under which calls are counted in metrics
 */
export function createDevelopmentMethod(name: string, label: string): Method<MethodContext> {
  return {
    ...createNodeMethod(name, label),
    summary: "Answered by the network's development node.",
    sends: true,
    // The time limit of a call does not apply, because mining blocks and fetching forks take longer.
    executes: false,
    errors: ['methodNotFound', 'developmentRefused', 'nodeRefusal', 'unavailable'],
    invoke(params, context) {
      const refusal = explainRefusal(context.development, name);
      if (refusal !== undefined) throw new RpcError('developmentRefused', refusal);
      return callDevelopmentNode(name, params, context);
    },
  };
}

/**
 * Calls a method of the development node. The caller has to check access first.
 * @throws RpcError `methodNotFound` when the chain has no development node, or the node has no such method
 */
export function callDevelopmentNode(
  name: string,
  params: readonly unknown[],
  { network: { chain }, scope }: MethodContext,
): PromiseOrValue<JsonResult> {
  if (chain.passOnce === undefined) throw new RpcError('methodNotFound', name);
  return continueWith(chain.passOnce(name, params, scope), (answer) => requireMethod(answer, name));
}
