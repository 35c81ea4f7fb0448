import type { NodeCall } from '../node-call.ts';

/**
 * Encodes a JSON-RPC request.
 * @param id decimal number
 */
export function encodeCall(call: NodeCall, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(call.method)},"params":${call.params}}`;
}

/**
 * Encodes a JSON-RPC batch.
 * @param firstId id of the first call; the ids are consecutive
 */
export function encodeCallBatch(calls: readonly NodeCall[], firstId: number): string {
  let text = '[';
  let id = firstId;
  for (const call of calls) {
    if (id > firstId) text += ',';
    text += encodeCall(call, String(id++));
  }
  return `${text}]`;
}
