import { isAscii, isUtf8 } from 'node:buffer';
import type { CallBytes } from '../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { parseInSlices } from '../../packages/ethereum/primitives/parse-in-slices.ts';
import { limitOf } from '../util/bounds.ts';
import { BodyScan, MAX_BLANKS, MAX_BODY_VALUES, MAX_NUMBER_LENGTH, type ScanProblem } from './body-scan.ts';
import { createBoundError, RpcError } from './errors.ts';
import { findRawId, findRawIds } from './raw-id.ts';

/** Request that expects a response. `id` is raw JSON text; the response repeats it verbatim. */
export type Call = {
  readonly kind: 'call';
  readonly id: JsonText;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Parameters of a message call, decoded to bytes. `params` contains the same parameters as JSON values. */
  readonly plain?: CallBytes;
  /**
   * Call object as text, in the canonical form for forwarding: members in order, lower case, no whitespace. Defined only if the call has `plain`, and
   * its text in the body already has the canonical form.
   */
  readonly callText?: JsonText | undefined;
};

/** JSON-RPC request without `id`. The request is executed, but never answered. `params` is undefined when it is not an array. */
export type Notification = {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: readonly unknown[] | undefined;
};

/** Invalid request, with the error of its response. */
type Malformed = { readonly kind: 'malformed'; readonly id: JsonText; readonly error: RpcError };

const NO_UTF8: RpcError = new RpcError('parseError', 'invalid UTF-8');

export type BatchItem = Call | Notification | Malformed;

/** Batch of at least one item, in the order of the body. */
type Batch = { readonly kind: 'batch'; readonly items: readonly BatchItem[] };

export type Envelope = BatchItem | Batch;

/** Minimum size, in bytes, of a body that is scanned first and then parsed in pieces. Parsing a smaller body takes at most 3 ms. */
export const LARGE_BODY_BYTES: number = 64 * 1024;
/** Minimum size, in bytes, of a body that is parsed in a scheduler slot. Parsing a body of this size may take a fraction of a millisecond. */
export const TURN_BODY_BYTES: number = 16 * 1024;
/** Maximum length of an id as JSON text. The limit exists because each response repeats the id. */
const MAX_ID_LENGTH = limitOf('body.idLength');
/** Maximum length of a numeric id that is echoed although the body is not parsed. */
const MAX_ECHOED_NUMBER = 100;
/** Bytes of a body that are scanned between two pauses. Scanning a piece takes at most 1 ms. */
const SCAN_PIECE_BYTES = 512 * 1024;
/** Bytes of a body that are decoded between two pauses. Decoding a piece takes 1 ms. */
const DECODE_PIECE_BYTES = 256 * 1024;
/** UTF-8 continuation bytes have the two high bits 10. */
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
/** Maximum members of a large body that is parsed without pauses. Parsing a body with this number of members takes about 1 ms. */
const MEMBERS_AT_ONCE = 2_000;

/**
 * Parses a body. The function never throws: an invalid body or an oversized batch becomes a `Malformed` item.
 * @param maxBatchItems maximum items of a batch
 */
export function parseEnvelope(body: Uint8Array, maxBatchItems: number): Envelope {
  return body.length < LARGE_BODY_BYTES
    ? parseSmall(body, maxBatchItems)
    : finish(readEnvelope(body, maxBatchItems));
}

function parseSmall(body: Uint8Array, maxBatchItems: number): Envelope {
  const text = decodeText(asBuffer(body));
  if (text === undefined) return malformed('null', NO_UTF8);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed('null', new RpcError('parseError', describeSyntaxError(error, text.length)));
  }
  if (!Array.isArray(value)) return parseItem(value, hasNumberId(value) ? findRawId(text) : undefined);
  return parseBatch(value, value.some(hasNumberId) ? findRawIds(text, value) : [], maxBatchItems);
}

/**
 * Parses a body. The parsing of a body of at least `LARGE_BODY_BYTES` pauses, and its cost is bounded. A smaller body is parsed without pauses.
 * @param reader if it is aborted after the scan, the body is not parsed
 */
export function* readEnvelope(
  body: Uint8Array,
  maxBatchItems: number,
  reader: { readonly aborted: boolean } = { aborted: false },
): Generator<undefined, Envelope> {
  if (body.length < LARGE_BODY_BYTES) return parseSmall(body, maxBatchItems);
  const bytes = asBuffer(body);
  const scan = new BodyScan(bytes, maxBatchItems);
  while (!scan.run(SCAN_PIECE_BYTES)) yield;
  if (reader.aborted) return malformed('null', new RpcError('cancelled'));
  if (scan.problem !== undefined) return malformed('null', describeScanProblem(scan.problem, maxBatchItems));
  yield;
  const text = isAscii(bytes) ? bytes.toString('latin1') : yield* decodeInSlices(bytes);
  if (text === undefined) return malformed('null', NO_UTF8);
  yield;
  let value: unknown;
  try {
    value = scan.members > MEMBERS_AT_ONCE ? yield* parseInSlices(text) : JSON.parse(text);
  } catch (error) {
    return malformed('null', new RpcError('parseError', describeSyntaxError(error, text.length)));
  }
  yield;
  if (Array.isArray(value)) return parseBatch(value, scan.rawIds, maxBatchItems);
  return parseItem(value, scan.rawIds[0]);
}

/** Returns the numeric id of a large body that is a single request, without parsing the body. Returns `null` as JSON text for any other body. */
export function findNumberId(body: Uint8Array): JsonText {
  const scan = new BodyScan(asBuffer(body), 1);
  scan.run(body.length);
  const [id] = scan.rawIds;
  return scan.problem === undefined && !scan.isList && id !== undefined && isNumber(id) ? id : 'null';
}

/** Whether a text is a JSON number that is short enough to be echoed. */
function isNumber(text: string): boolean {
  return text.length <= MAX_ECHOED_NUMBER && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text);
}

function finish<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function describeScanProblem(problem: ScanProblem, maxBatchItems: number): RpcError {
  switch (problem) {
    case 'tooDeep':
      return createBoundError('parseError', 'body.depth');
    case 'tooManyValues':
      return createBoundError('invalidRequest', 'body.values', MAX_BODY_VALUES);
    case 'longNumber':
      return createBoundError('parseError', 'body.numberLength', MAX_NUMBER_LENGTH);
    case 'longBlanks':
      return createBoundError('parseError', 'body.blanks', MAX_BLANKS);
    case 'tooManyItems':
      return batchTooLarge(maxBatchItems);
  }
}

function batchTooLarge(maxItems: number): RpcError {
  return new RpcError('batchTooLarge', 'batch.items', maxItems);
}

/** Returns a Buffer view of the same bytes. */
export function asBuffer(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Decodes UTF-8, or returns undefined for invalid bytes. Nearly all bodies are ASCII, for which latin1 decoding is faster. */
function decodeText(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Decodes large non-ASCII UTF-8 with pauses, or returns undefined for invalid bytes. */
function* decodeInSlices(bytes: Buffer): Generator<undefined, string | undefined> {
  if (!isUtf8(bytes)) return undefined;
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + DECODE_PIECE_BYTES, bytes.length);
    while (((bytes[end] ?? 0) & CONTINUATION_MASK) === CONTINUATION) end--;
    text += bytes.toString('utf8', at, end);
    at = end;
    yield;
  }
  return text;
}

function parseBatch(
  values: readonly unknown[],
  rawIds: readonly (JsonText | undefined)[],
  maxItems: number,
): Envelope {
  if (values.length === 0) return malformed('null', new RpcError('emptyBatch'));
  if (values.length > maxItems) return malformed('null', batchTooLarge(maxItems));
  return { kind: 'batch', items: values.map((value, i) => parseItem(value, rawIds[i])) };
}

function parseItem(value: unknown, rawId: string | undefined): BatchItem {
  if (!isObject(value)) {
    return malformed('null', new RpcError('invalidRequest', 'expected a request object'));
  }
  const id = readId(value, rawId);
  if (id !== undefined && id.length > MAX_ID_LENGTH) {
    return malformed('null', createBoundError('invalidRequest', 'body.idLength', MAX_ID_LENGTH));
  }
  if (id === undefined && value['id'] !== undefined) {
    return malformed('null', new RpcError('invalidRequest', '"id" must be a number, a string or null'));
  }
  if (value['jsonrpc'] !== '2.0') {
    return malformed(id ?? 'null', new RpcError('invalidRequest', '"jsonrpc" must be "2.0"'));
  }
  const { method, params = null } = value;
  if (typeof method !== 'string') {
    return malformed(id ?? 'null', new RpcError('invalidRequest', '"method" must be a string'));
  }
  const positional = params === null ? [] : Array.isArray(params) ? (params as unknown[]) : undefined;
  if (id === undefined) return { kind: 'notification', method, params: positional };
  if (positional === undefined) {
    const error = new RpcError('invalidParams', 'params must be an array: parameters are given by position');
    return malformed(id, error);
  }
  return { kind: 'call', id, method, params: positional };
}

/** Returns the id of a request object as JSON text. Returns undefined for a missing or invalid id. */
function readId(value: unknown, rawId: string | undefined): JsonText | undefined {
  if (!isObject(value)) return undefined;
  const id = value['id'];
  if (typeof id === 'number') return rawId;
  if (typeof id === 'string') return JSON.stringify(id);
  return id === null ? 'null' : undefined;
}

function hasNumberId(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(id: JsonText, error: RpcError): Malformed {
  return { kind: 'malformed', id, error };
}

/**
 * Describes a JSON syntax error without quoting the body. Messages of the JavaScript engine quote the body, so only the position is taken from them.
 * @param length length of the text, in UTF-16 units
 */
function describeSyntaxError(error: unknown, length: number): string {
  const message = error instanceof Error ? error.message : '';
  const [, digits] = /at position (\d+)/.exec(message) ?? [];
  const position = message.includes('end of JSON input') ? length : Number(digits);
  if (Number.isNaN(position)) return 'not a JSON text';
  return `unexpected ${position < length ? 'text' : 'end'} at position ${position}`;
}
