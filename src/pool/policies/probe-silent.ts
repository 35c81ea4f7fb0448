import { isComplete } from '../../../packages/ethereum/primitives/json-result.ts';
import { findFirst } from '../group.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { Route } from '../route.ts';
import type { Silence } from '../silence.ts';
import type { Upstream } from '../upstream.ts';
import {
  type Directed,
  type Handler,
  type RoutedRequest,
  setRoute,
  setUpstream,
  withScope,
} from '../upstream-request.ts';

export type ProbeParts = {
  /** Sends a request to the node in its context, and updates the health of the node. */
  readonly sendToNode: Handler<Directed>;
  /** Time limit of a probe, ms. */
  readonly limitMs: number;
  /**
   * Called when a node that other nodes overtook repeatedly does not answer a probe; only once until the node answers again.
   * @param method set if the node is silent only on this method
   */
  onSilent(upstream: Upstream, method?: string): void;
};

/** Sends a copy of the call to the silent nodes of its route. The caller does not wait for the answers to these copies. */
export type ProbeSilent = (routed: RoutedRequest) => void;

/** Creates the sender of probes. At most one probe at a time runs per silent upstream, or per method that an upstream does not answer. */
export function createProbe({ sendToNode, limitMs, onSilent }: ProbeParts): ProbeSilent {
  const probe = async (
    routed: RoutedRequest,
    upstream: Upstream,
    silence: Silence,
    method?: string,
  ): Promise<void> => {
    const scope = routed.scope.derive({ isDetached: true, deadline: performance.now() + limitMs });
    // A probe does not belong to the trace or to the batch of the call.
    scope.trace = undefined;
    scope.batch = undefined;
    try {
      const alone = setRoute(withScope(routed, scope), new Route([]));
      const result = await sendToNode(setUpstream(alone, upstream));
      if (!isComplete(result)) result.cancel();
    } catch {
      // The failure is ignored here, because `sendToNode` has recorded it.
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

/**
 * Policy that probes silent nodes. Must be inside of `order` in the stack of policies, because `order` chooses the route and puts silent nodes last.
 */
export function probeSilent(probe: ProbeSilent): Policy<RoutedRequest> {
  return createPolicy<RoutedRequest>(
    {
      begin(routed) {
        probe(routed);
        return routed;
      },
    },
    // The route of the first request is used, because all requests of a group have one route.
    (next) => (group, receive) => {
      const first = findFirst(group);
      if (first !== undefined) probe(first);
      next(group, receive);
    },
  );
}
