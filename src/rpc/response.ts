import { encodeHexData } from '../primitives/hex-data.ts';
import { JsonBytes, type JsonResult, type JsonStream, type JsonText } from '../primitives/json-result.ts';
import type { RpcError } from './errors.ts';
import { cutText, LARGE_TEXT, streamParts } from './text-pieces.ts';

/** A success response. `id` is the raw JSON text of the request's id. */
export function encodeSuccess(id: JsonText, result: JsonText): JsonText {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** Bytes beyond this are sent in pieces. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;
const END = Buffer.from('}');

/**
 * The success response to a result of any form: a stream for a stream and for a text that is large.
 * @param trust value of a member beside the result, where the client asks for it; of a stream it is read at its end
 */
export function encodeResult(id: JsonText, result: JsonResult, trust?: () => string): JsonResult {
  if (typeof result === 'string' && result.length <= LARGE_TEXT && trust === undefined)
    return encodeSuccess(id, result);
  const head = `{"jsonrpc":"2.0","id":${id},"result":`;
  const end = (): string => (trust === undefined ? '}' : `,"trust":"${trust()}"}`);
  if (typeof result !== 'string' && !(result instanceof JsonBytes)) return enclose(head, result, end);
  const tail = end();
  if (typeof result === 'string' && result.length <= LARGE_TEXT) return `${head}${result}${tail}`;
  if (typeof result === 'string') return streamParts([head, result, tail], result.length);
  if (result instanceof JsonBytes && result.length <= MAX_WHOLE_BYTES)
    return new JsonBytes(result.value, Buffer.from(head), trust === undefined ? END : Buffer.from(tail));
  return enclose(head, result, () => tail);
}

/** A stream between two texts, of which the second is made at its end. */
function enclose(head: string, stream: JsonStream, end: () => string): JsonStream {
  const { heldBytes, length } = stream;
  return {
    pieces: enclosePieces(head, stream.pieces, end),
    cancel: () => stream.cancel(),
    ...(heldBytes !== undefined && { heldBytes }),
    ...(length !== undefined && { length: length + Buffer.byteLength(head) + end().length }),
  };
}

async function* enclosePieces(
  head: string,
  pieces: AsyncIterable<Uint8Array>,
  end: () => string,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(head);
  yield* pieces;
  yield Buffer.from(end());
}

/**
 * An error response. `id` is the raw JSON text of the request's id, `null` where it could not be read.
 * @param maxText data of more UTF-16 units is encoded when the response is read, in pieces
 */
export function encodeError(id: JsonText, error: RpcError, maxText: number = LARGE_TEXT): JsonResult {
  const data = typeof error.nodeData === 'string' ? error.nodeData : error.data;
  if (typeof data === 'string' && data.length > maxText) {
    return streamParts(encodeLargeError(id, error, data), data.length);
  }
  if (!(data instanceof Uint8Array)) return encodeSmallError(id, error);
  const stream = encodeHexData(data);
  const head = `${beginError(id, error)},"data":`;
  return typeof stream === 'string' ? `${head}${stream}}}` : enclose(head, stream, () => '}}');
}

/** The same where it is known that no data of a call travels with it. */
export function encodeSmallError(id: JsonText, error: RpcError): JsonText {
  const value = error.data ?? error.nodeData;
  const data = value === undefined ? '' : `,"data":${JSON.stringify(value)}`;
  return `${beginError(id, error)}${data}}}`;
}

/** All of it but for its data, and open. */
function beginError(id: JsonText, { code, message }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}`;
}

function* encodeLargeError(id: JsonText, error: RpcError, data: string): Generator<string, void, undefined> {
  yield `${beginError(id, error)},"data":"`;
  for (const slice of cutText(data)) yield JSON.stringify(slice).slice(1, -1);
  yield '"}}';
}

/** A batch response of at least one response. */
export function encodeBatch(responses: readonly JsonText[]): JsonText {
  return `[${responses.join(',')}]`;
}
