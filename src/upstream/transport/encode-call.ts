import type { NodeCall } from '../node-call.ts';

/** Text of a JSON-RPC request. `id` is a number in decimal. */
export function encodeCall(call: NodeCall, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(call.method)},"params":${call.params}}`;
}

/** Text of a JSON-RPC batch; the ids follow each other. */
export function encodeBatch(calls: readonly NodeCall[], firstId: number): string {
  let text = '[';
  let id = firstId;
  for (const call of calls) {
    if (id > firstId) text += ',';
    text += encodeCall(call, String(id++));
  }
  return `${text}]`;
}
