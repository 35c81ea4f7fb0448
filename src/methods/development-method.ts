import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { requireMethod } from './ask-chain.ts';
import { explainRefusal } from './development-access.ts';
import type { MethodContext } from './method-context.ts';
import { createNodeMethod } from './node-method.ts';

/**
 * A method of a network's development node: for clients that may call such methods, and keys that may send and are bound to no contracts.
 * @param label what it is counted as
 */
export function createDevelopmentMethod(name: string, label: string): Method<MethodContext> {
  return {
    ...createNodeMethod(name, label),
    summary: "Answered by the network's development node.",
    sends: true,
    // Blocks that are mined, and forks that are fetched, take longer than a call may.
    executes: false,
    errors: ['methodNotFound', 'developmentRefused', 'nodeRefusal', 'unavailable'],
    invoke(params, context) {
      const refusal = explainRefusal(context.development, name);
      if (refusal !== undefined) throw new RpcError('developmentRefused', refusal);
      return askDevelopmentNode(name, params, context);
    },
  };
}

/** What the development node answers to a client that may ask it. */
export function askDevelopmentNode(
  name: string,
  params: readonly unknown[],
  { network: { chain }, scope }: MethodContext,
): PromiseOrValue<JsonResult> {
  if (chain.passOnce === undefined) throw new RpcError('methodNotFound', name);
  return continueWith(chain.passOnce(name, params, scope), (answer) => requireMethod(answer, name));
}
