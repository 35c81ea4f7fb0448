import {
  isComplete,
  type JsonBytes,
  type JsonText,
} from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../chain/errors.ts';
import { NodeRefusal } from '../../chain/node-refusal.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import { PassedFault, UnclearMethod, UpstreamFault } from '../fault.ts';
import type { Control } from '../node-methods.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed, Handler } from '../upstream-request.ts';

/** Method name, without its namespace, that no node implements. */
const CONTROL_NAME = 'portcullisControlMethod';
/** Time limit of the control request, ms. If a node does not answer the control request in time, its answer to the client's call is accepted. */
const CONTROL_LIMIT_MS = 2_000;
/** Maximum length of a compared result, UTF-16 units or bytes; a longer result shows that the node has the method. */
const MAX_COMPARED = 1_024;

/**
 * Learns whether a node has a passed-through method. Some nodes answer any method name with null, an error about parameters, or a result. Until a
 * node is known to have the method, its answer is compared with its answer to a control method, which cannot exist. If both answers are equal, the
 * node counts as lacking the method for this request. The lack is not remembered, because a node that has the method may give the same answer
 * correctly. The control method is sent only after a client's call in its namespace.
 * @throws UnclearMethod if both answers are the same
 */
export function learnMethods(): Policy<Directed> {
  return createPolicy<Directed>({
    onResult(context, result, next) {
      const { call, upstream } = context;
      if (call.isPassed !== true || upstream.methods.has(call.method)) return result;
      if (!isComplete(result) || result.length > MAX_COMPARED) {
        upstream.methods.noteHas(call.method);
        return result;
      }
      return compare(context, nameResult(result), next).then(() => result);
    },
    recover(context, error, next) {
      const { call, upstream } = context;
      if (call.isPassed !== true || upstream.methods.has(call.method)) return undefined;
      const name = nameError(error, call.method);
      if (name === undefined) return undefined;
      return compare(context, name, next).then(() => Promise.reject(error));
    },
  });
}

/** @throws UnclearMethod if the node gives the same answer to a method that cannot exist */
async function compare(context: Directed, answer: string, next: Handler<Directed>): Promise<void> {
  const { call, upstream } = context;
  const namespace = call.method.slice(0, call.method.indexOf('_'));
  const control = await upstream.methods.findControl(namespace, () => sendControl(context, namespace, next));
  if (control.kind === 'answers' && control.answer === answer) throw new UnclearMethod(call.method);
  if (control.kind !== 'unanswered') upstream.methods.noteHas(call.method);
}

async function sendControl(context: Directed, namespace: string, next: Handler<Directed>): Promise<Control> {
  const method = `${namespace}_${CONTROL_NAME}`;
  const call = { method, params: '[]', nulls: 'truth', isPassed: true, mayBeRefused: true } as const;
  try {
    const result = await completeWithin(next({ ...context, call }), CONTROL_LIMIT_MS);
    if (result === TIMED_OUT) return { kind: 'unanswered' };
    if (isComplete(result)) return { kind: 'answers', answer: nameResult(result) };
    result.cancel();
    return { kind: 'unanswered' };
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'unsupported') return { kind: 'refuses' };
    const answer = nameError(error, method);
    return answer === undefined ? { kind: 'unanswered' } : { kind: 'answers', answer };
  }
}

function nameResult(result: JsonText | JsonBytes): string {
  return `result ${(typeof result === 'string' ? result : result.text).slice(0, MAX_COMPARED)}`;
}

/** Returns code and message of a node's error, with the method name replaced. Returns undefined if the failure is not an answer of the node. */
function nameError(error: unknown, method: string): string | undefined {
  const refusal = error instanceof PassedFault ? error.refusal : error;
  if (!(refusal instanceof NodeRefusal)) {
    if (error instanceof ChainError || error instanceof UpstreamFault) return undefined;
    throw error;
  }
  return `error ${refusal.code} ${refusal.message.replaceAll(method, '#')}`;
}
