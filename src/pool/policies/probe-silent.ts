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
  /** Sends a request to a chosen node, and updates the record of the node. */
  readonly sendToNode: Handler<Directed>;
  /** Time limit of a probe, ms. */
  readonly limitMs: number;
  /**
   * Called if a repeatedly overtaken node does not answer a probe; only for the first such probe since the node's last answer.
   * @param method set if the node answers other methods
   */
  onSilent(upstream: Upstream, method?: string): void;
};

/** Sends a copy of the call to silent nodes of its route, in addition to the nodes that the caller waits for. */
export type ProbeSilent = (routed: RoutedRequest) => void;

/** Creates the sender of probes: it sends one probe at a time per silent upstream, or per method that an upstream does not answer. */
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
      // The failure is already in the record of the node.
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

/** Must be inside of `order`, which puts silent nodes last. */
export function probeSilent(probe: ProbeSilent): Policy<RoutedRequest> {
  return createPolicy<RoutedRequest>(
    {
      begin(routed) {
        probe(routed);
        return routed;
      },
    },
    // All requests of a group have one route.
    (next) => (group, receive) => {
      const first = findFirst(group);
      if (first !== undefined) probe(first);
      next(group, receive);
    },
  );
}
