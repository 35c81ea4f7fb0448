import { isComplete, type JsonResult } from '../../primitives/json-result.ts';
import { Refutation } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Exchange, Handler, RoutedCall } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { ContinuedStream } from './continued-stream.ts';

/**
 * Whether the answers of all nodes fail alike, so that the chain has rules that are not known here: answers like theirs are accepted from then on.
 * @returns the nodes that answered otherwise; undefined where the refutation stands
 */
export type AcceptRules = (refutation: Refutation, call: RoutedCall) => ReadonlySet<Upstream> | undefined;

/** More parts of an answer than can be refuted one after the other. */
const MAX_ROUNDS = 16;

/**
 * Asks again what every node's answer was refuted for, once it is clear that the chain's rules are not known here. Streams go on with what is asked then.
 * @param accept undefined where nothing is verified, so that nothing is refuted
 */
export function acceptRules(accept: AcceptRules | undefined): Policy {
  if (accept === undefined) return createPolicy({});
  /** What is asked after a fault; undefined where it stands. */
  const chooseAfter = (exchange: Exchange): ((fault: unknown) => Exchange | undefined) => {
    const except = new Set(exchange.except);
    let rounds = 0;
    return (fault) => {
      const dissenters = fault instanceof Refutation ? accept(fault, exchange.call) : undefined;
      if (dissenters === undefined || ++rounds > MAX_ROUNDS) return undefined;
      for (const upstream of dissenters) except.add(upstream);
      return { ...exchange, except };
    };
  };
  const askAgain = async (
    exchange: Exchange,
    choose: (fault: unknown) => Exchange | undefined,
    next: Handler,
  ): Promise<JsonResult> => {
    for (let again = exchange; ; ) {
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
    onResult: (exchange, result, next) =>
      isComplete(result) ? result : new ContinuedStream(result, next, chooseAfter(exchange)),
    recover(exchange, error, next) {
      const choose = chooseAfter(exchange);
      const again = choose(error);
      return again && askAgain(again, choose, next);
    },
  });
}
