import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { RpcError } from './errors.ts';

/** A success response. `id` is the raw JSON text of the request's id. */
export function encodeSuccess(id: JsonText, result: JsonText): JsonText {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** The success response to a result of either form: text for text, a stream for a stream. */
export function encodeResult(id: JsonText, result: JsonResult): JsonResult {
  if (typeof result === 'string') return encodeSuccess(id, result);
  return {
    pieces: enclose(`{"jsonrpc":"2.0","id":${id},"result":`, result.pieces, '}'),
    cancel: () => result.cancel(),
  };
}

async function* enclose(
  head: string,
  pieces: AsyncIterable<Uint8Array>,
  tail: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(head);
  yield* pieces;
  yield Buffer.from(tail);
}

/** An error response. `id` is the raw JSON text of the request's id, `null` where it could not be read. */
export function encodeError(id: JsonText, error: RpcError): JsonText {
  const data = error.data === undefined ? '' : `,"data":${JSON.stringify(error.data)}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${error.row.code},"message":${JSON.stringify(error.message)}${data}}}`;
}

/** A batch response of at least one response. */
export function encodeBatch(responses: readonly JsonText[]): JsonText {
  return `[${responses.join(',')}]`;
}
