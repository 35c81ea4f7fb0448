import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { Refutation } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Upstream } from '../upstream.ts';
import type { Handler, RequestContext, UpstreamRequest } from '../upstream-request.ts';
import { ContinuedStream } from './continued-stream.ts';

/**
 * Decides whether the answers of all nodes fail verification in the same way. If all nodes fail in the same way, the chain has rules that this
 * service does not know. Answers that fail in this way are accepted from then on.
 * @returns the nodes whose answers differ from the answer of the majority; undefined if the answer still counts as refuted
 */
export type AcceptRules = (
  refutation: Refutation,
  call: UpstreamRequest,
) => ReadonlySet<Upstream> | undefined;

/** Maximum number of times that one request is repeated. Before each repetition, another kind of data in the answer was refuted. */
const MAX_ROUNDS = 16;

/**
 * Repeats a request if the answers of all nodes were refuted, and if `accept` finds that the chain has unknown rules. A stream continues with the
 * answer to the repeated request.
 * @param accept undefined on networks where nothing is verified, so that no answer can be refuted
 */
export function acceptRules(accept: AcceptRules | undefined): Policy {
  if (accept === undefined) return createPolicy({});
  /** Returns the request to send after a fault; undefined if the fault remains. */
  const chooseAfter = (context: RequestContext): ((fault: unknown) => RequestContext | undefined) => {
    const except = new Set(context.except);
    let rounds = 0;
    return (fault) => {
      const dissenters = fault instanceof Refutation ? accept(fault, context.call) : undefined;
      if (dissenters === undefined || ++rounds > MAX_ROUNDS) return undefined;
      for (const upstream of dissenters) except.add(upstream);
      return { ...context, except };
    };
  };
  const retry = async (
    context: RequestContext,
    choose: (fault: unknown) => RequestContext | undefined,
    next: Handler,
  ): Promise<JsonResult> => {
    for (let again = context; ; ) {
      try {
        return await next(again);
      } catch (error) {
        const chosen = choose(error);
        if (chosen === undefined) throw error;
        again = chosen;
      }
    }
  };
  return createPolicy({
    onResult: (context, result, next) =>
      isComplete(result) ? result : new ContinuedStream(result, next, chooseAfter(context)),
    recover(context, error, next) {
      const choose = chooseAfter(context);
      const again = choose(error);
      return again && retry(again, choose, next);
    },
  });
}
