import { isComplete } from '../../primitives/json-result.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { Route } from '../route.ts';
import {
  type Directed,
  type Handler,
  type Routed,
  setRoute,
  setUpstream,
  withScope,
} from '../routed-call.ts';
import type { Silence } from '../silence.ts';
import type { Upstream } from '../upstream.ts';

export type ProbeParts = {
  /** Asks a node that is chosen already, and keeps its record. */
  readonly askNode: Handler<Directed>;
  /** Milliseconds that a node has for an answer. */
  readonly limitMs: number;
  /**
   * A node that was overtaken again and again has not answered a probe: the first one since it answered anything.
   * @param method where it answers others
   */
  onSilent(upstream: Upstream, method?: string): void;
};

/** Sends a call to silent nodes of its route beside those that are waited for. */
export type ProbeSilent = (routed: Routed) => void;

export function createProbe({ askNode, limitMs, onSilent }: ProbeParts): ProbeSilent {
  const probe = async (
    routed: Routed,
    upstream: Upstream,
    silence: Silence,
    method?: string,
  ): Promise<void> => {
    const scope = routed.scope.derive({ isDetached: true, deadline: performance.now() + limitMs });
    // It is no part of what is traced, and no item of a batch.
    scope.trace = undefined;
    scope.batch = undefined;
    try {
      const alone = setRoute(withScope(routed, scope), new Route([]));
      const result = await askNode(setUpstream(alone, upstream));
      if (!isComplete(result)) result.cancel();
    } catch {
      // It is in the node's record.
    } finally {
      if (silence.endProbe()) onSilent(upstream, method);
    }
  };
  return (routed) => {
    if (routed.route.left < 2) return;
    const { method } = routed.call;
    for (const upstream of routed.route.listLeft()) {
      const { silence } = upstream.health;
      if (silence.isSilent) {
        if (silence.takeProbe()) void probe(routed, upstream, silence);
        continue;
      }
      const ofMethod = upstream.methodSilences.takeProbe(method);
      if (ofMethod !== undefined) void probe(routed, upstream, ofMethod, method);
    }
  };
}

/** Behind `order`, which puts silent nodes last. */
export function probeSilent(probe: ProbeSilent): Policy<Routed> {
  return createPolicy<Routed>({
    begin(routed) {
      probe(routed);
      return routed;
    },
  });
}
