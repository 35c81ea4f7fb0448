import * as z from 'zod';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { FAMILY_ESTIMATES } from '../rollup/wire-names.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { callChain, requireMethod } from './call-chain.ts';
import { scopeOfAnything } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { findNodeMethodCredits, NODE_METHOD_CREDITS } from './passed-methods.ts';

/**
 * Creates a method whose calls are passed to a network's nodes. Parameters and result are passed on unchecked.
 * @param label name under which calls are counted in metrics
 */
export function createNodeMethod(name: string, label: string): Method<MethodContext> {
  const credits = findNodeMethodCredits(name);
  return {
    name,
    label,
    summary: "Answered by the network's nodes.",
    params: [],
    result: { name: 'result', schema: z.unknown() },
    contractScope: scopeOfAnything,
    cost: credits ?? NODE_METHOD_CREDITS,
    isNodeMethod: true,
    isPriced: credits !== undefined,
    executes: true,
    errors: ['methodNotFound', 'nodeRefusal', 'unavailable'],
    example: { params: [], result: null },
    invoke: (params, context) => sendToNodes(name, params, context),
  };
}

/** Sends a call to the network's nodes. Errors are the node's own; only errors of rollup estimates are uniform across the nodes of a rollup. */
function sendToNodes(
  name: string,
  params: readonly unknown[],
  context: MethodContext,
): PromiseOrValue<JsonResult> {
  const { chain } = context.network;
  if (chain.pass === undefined || FAMILY_ESTIMATES.has(name)) return callChain(name, params, context);
  return continueWith(chain.pass(name, params, context.scope), (answer) => requireMethod(answer, name));
}

/**
 * Creates a node's estimate method for a rollup whose family is not recognised yet. Each call first waits for the recognition.
 * @throws RpcError (on call) `methodNotFound` when the recognised family does not have the method
 */
export function createEarlyNodeMethod(name: string): Method<MethodContext> {
  const method = createNodeMethod(name, name);
  return {
    ...method,
    async invoke(params, context) {
      await context.network.rollup?.recognise?.(context.scope);
      if (context.network.nodeEstimates?.includes(name) !== true) throw new RpcError('methodNotFound', name);
      return method.invoke(params, context);
    },
  };
}
