import type { JsonResult } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import type { Handler, Policy, Routed } from '../routed-call.ts';

/**
 * A null is believed when it is the truth by nature, or when a second upstream says the same. Where there is no
 * second one, a `claim` is believed and a `doubt` is not. Of nodes that are behind neither is: they may not have it yet.
 */
export function confirmNulls(): Policy<Routed> {
  return (next) => {
    const confirm = async (exchange: Routed): Promise<JsonResult> => {
      const { nulls } = exchange.call;
      const isBelieved = !isBehind(exchange);
      for (;;) {
        const other = await askAnother(next, exchange);
        if (other === undefined) break;
        if (other !== 'null' || isBelieved || !isBehind(exchange)) return other;
      }
      if (!isBelieved)
        throw new UpstreamFault('missing', 'the nodes that could be asked are behind and do not have it');
      if (nulls === 'claim') return 'null';
      throw new UpstreamFault(
        'missing',
        'the only node that could be asked does not have what it should have',
      );
    };
    return (exchange) => {
      const { nulls } = exchange.call;
      if (nulls === 'truth' || nulls === 'fault') return next(exchange);
      const asked = { ...exchange, witness: exchange.witness ?? {} };
      return next(asked).then((result) => (result === 'null' ? confirm(asked) : result));
    };
  };
}

/** Whether the node that answered last is. */
function isBehind({ witness }: Routed): boolean {
  return witness?.upstream?.isBehind === true;
}

/** A second node that stays silent must not cost the answer of the first. */
function halveTime(scope: RequestScope): RequestScope {
  return scope.derive({ deadline: (scope.deadline + performance.now()) / 2 });
}

/** What the next upstream of the route says; undefined when there is none that can answer. */
async function askAnother(next: Handler<Routed>, exchange: Routed): Promise<JsonResult | undefined> {
  if (exchange.route.isExhausted) return undefined;
  try {
    return await next({ ...exchange, scope: halveTime(exchange.scope) });
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind !== 'aborted') return undefined;
    throw error;
  }
}
