import type { CallScope } from '../../../src/chain/chain.ts';
import { Route } from '../../../src/upstream/route.ts';
import type { Exchange, RoutedCall } from '../../../src/upstream/routed-call.ts';
import type { ScriptedNode } from './scripted-node.ts';

/** Long enough for a slow machine wherever a test does not wait for it. */
const PATIENCE_MS = 20_000;

export function createScope(limitMs: number = PATIENCE_MS, signal?: AbortSignal): CallScope {
  return {
    deadline: performance.now() + limitMs,
    limitMs,
    signal: signal ?? new AbortController().signal,
  };
}

export function createCall(parts: Partial<RoutedCall> = {}): RoutedCall {
  return { method: 'eth_call', params: '[]', nulls: 'fault', ...parts };
}

export function createExchange(call: Partial<RoutedCall> = {}, scope: CallScope = createScope()): Exchange {
  return { call: createCall(call), scope };
}

/** With its route set, as behind `order`. */
export function createRouted(
  nodes: readonly ScriptedNode[],
  call: Partial<RoutedCall> = {},
  scope?: CallScope,
): Exchange {
  return { ...createExchange(call, scope), route: new Route(nodes.map((node) => node.upstream)) };
}

/** With its upstream set, as behind `hedge`. */
export function createDirected(
  node: ScriptedNode,
  call: Partial<RoutedCall> = {},
  scope?: CallScope,
): Exchange {
  return { ...createExchange(call, scope), upstream: node.upstream };
}
