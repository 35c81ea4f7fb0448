import { Route } from '../../../src/pool/route.ts';
import {
  type Directed,
  openContext,
  type RequestContext,
  type RoutedRequest,
  setRoute,
  setUpstream,
  type UpstreamRequest,
} from '../../../src/pool/upstream-request.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import type { ScriptedNode } from './scripted-node.ts';

/** Longer than any delay of a slow machine, for scopes that must not expire in a test, ms. */
const PATIENCE_MS = 60_000;

export function createScope(limitMs: number = PATIENCE_MS, signal?: AbortSignal): RequestScope {
  const scope = new RequestScope(performance.now() + limitMs);
  signal?.addEventListener('abort', () => scope.abort(signal.reason));
  if (signal?.aborted === true) scope.abort(signal.reason);
  return scope;
}

/** Counts listeners from now on. @returns the number of listeners of the scope's signal */
export function watchListeners({ signal }: RequestScope): () => number {
  const present = new Set<() => void>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type, listener) => {
    present.add(listener);
    add(type, listener);
  };
  signal.removeEventListener = (type, listener) => {
    present.delete(listener);
    remove(type, listener);
  };
  return () => (signal.aborted ? 0 : present.size);
}

export function createCall(parts: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { method: 'eth_call', params: '[]', nulls: 'fault', ...parts };
}

export function createExchange(
  call: Partial<UpstreamRequest> = {},
  scope: RequestScope = createScope(),
): RequestContext {
  return openContext({ call: createCall(call), scope }, scope);
}

/** Creates a request context with its route set, as after `order`. */
export function createRouted(
  nodes: readonly ScriptedNode[],
  call: Partial<UpstreamRequest> = {},
  scope?: RequestScope,
): RoutedRequest {
  return setRoute(createExchange(call, scope), new Route(nodes.map((node) => node.upstream)));
}

/** Creates a request context with its upstream set, as after `hedge`. */
export function createDirected(
  node: ScriptedNode,
  call: Partial<UpstreamRequest> = {},
  scope?: RequestScope,
): Directed {
  return setUpstream(setRoute(createExchange(call, scope), new Route([])), node.upstream);
}
