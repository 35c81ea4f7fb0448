import type { JsonResult } from '../../primitives/json-result.ts';
import { Refutation } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Exchange, Handler, RoutedCall } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/**
 * Whether the answers of all nodes fail alike, so that the chain has rules that are not known here: answers like theirs are accepted from then on.
 * @returns the nodes that answered otherwise; undefined where the refutation stands
 */
export type AcceptRules = (refutation: Refutation, call: RoutedCall) => ReadonlySet<Upstream> | undefined;

/** More parts of an answer than can be refuted one after the other. */
const MAX_ROUNDS = 16;

/** Asks again what every node's answer was refuted for, once it is clear that the chain's rules are not known here. */
export function acceptRules(accept: AcceptRules): Policy {
  const askAgain = async (
    exchange: Exchange,
    dissenters: ReadonlySet<Upstream>,
    next: Handler,
  ): Promise<JsonResult> => {
    const except = new Set([...(exchange.except ?? []), ...dissenters]);
    for (let round = 1; ; round++) {
      try {
        return await next({ ...exchange, except });
      } catch (error) {
        const others = error instanceof Refutation ? accept(error, exchange.call) : undefined;
        if (others === undefined || round >= MAX_ROUNDS) throw error;
        for (const upstream of others) except.add(upstream);
      }
    }
  };
  return createPolicy({
    recover(exchange, error, next) {
      const dissenters = error instanceof Refutation ? accept(error, exchange.call) : undefined;
      return dissenters === undefined ? undefined : askAgain(exchange, dissenters, next);
    },
  });
}
