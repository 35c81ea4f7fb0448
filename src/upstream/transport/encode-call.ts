import type { NodeCall } from '../node-call.ts';

/** Text of a JSON-RPC request. `id` is a number in decimal. */
export function encodeCall(call: NodeCall, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(call.method)},"params":${call.params}}`;
}

/** Text of a JSON-RPC batch. */
export function encodeBatch(calls: readonly NodeCall[], ids: readonly string[]): string {
  return `[${calls.map((call, i) => encodeCall(call, ids[i] as string)).join(',')}]`;
}
