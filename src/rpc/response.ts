import { encodeHexData } from '../../packages/ethereum/primitives/hex-data.ts';
import {
  JsonBytes,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { RpcError } from './errors.ts';
import { LARGE_TEXT, sliceText, streamParts } from './text-pieces.ts';

/**
 * Encodes a success response.
 * @param id raw JSON text of the request's id
 */
export function encodeSuccess(id: JsonText, result: JsonText): JsonText {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** Maximum size of a result that is sent whole, bytes. Larger results are sent in pieces. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;
const END = Buffer.from('}');

/**
 * Encodes the success response for a result of any form. The response to a stream or a large text is a stream.
 * @param id raw JSON text of the request's id
 * @param trust returns the `trust` member; absent where the client does not request it. For a stream, `trust` is called when the stream ends.
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

/** Puts a text before and after a stream. `end` returns the text after it, once the stream has ended. */
function enclose(head: string, stream: JsonStream, end: () => string): JsonStream {
  const { reservedBytes, length } = stream;
  return {
    pieces: enclosePieces(head, stream.pieces, end),
    cancel: () => stream.cancel(),
    ...(reservedBytes !== undefined && { reservedBytes }),
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
 * Encodes an error response.
 * @param id raw JSON text of the request's id, `null` where the id could not be read
 * @param maxText maximum length of data that is encoded at once, UTF-16 units; longer data is encoded in pieces while it is sent
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

/** Encodes an error response whose data is not return data of a call. */
export function encodeSmallError(id: JsonText, error: RpcError): JsonText {
  const value = error.data ?? error.nodeData;
  const data = value === undefined ? '' : `,"data":${JSON.stringify(value)}`;
  return `${beginError(id, error)}${data}}}`;
}

/**
 * Encodes the beginning of an error response, up to its data. The text does not yet contain the closing braces of the error object and the response
 * object.
 */
function beginError(id: JsonText, { code, message }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}`;
}

function* encodeLargeError(id: JsonText, error: RpcError, data: string): Generator<string, void, undefined> {
  yield `${beginError(id, error)},"data":"`;
  for (const slice of sliceText(data)) yield JSON.stringify(slice).slice(1, -1);
  yield '"}}';
}

/** Encodes a batch response of at least one response. */
export function encodeBatch(responses: readonly JsonText[]): JsonText {
  return `[${responses.join(',')}]`;
}
