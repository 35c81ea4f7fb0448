import { isAscii, isUtf8 } from 'node:buffer';
import type { CallBytes } from '../primitives/call-bytes.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { parseInSlices } from '../primitives/parse-in-slices.ts';
import { limitOf } from '../util/bounds.ts';
import { BodyScan, MAX_BLANKS, MAX_BODY_VALUES, MAX_NUMBER_LENGTH, type ScanProblem } from './body-scan.ts';
import { createBoundError, RpcError } from './errors.ts';
import { findRawId, findRawIds } from './raw-id.ts';

/** A request that wants an answer. `id` is raw JSON text, to be echoed as it is. */
export type Call = {
  readonly kind: 'call';
  readonly id: JsonText;
  readonly method: string;
  readonly params: readonly unknown[];
  /** The parameters of a message call, where they were read into bytes; `params` are the same as values. */
  readonly plain?: CallBytes;
  /** The call object of such a call as it is sent on, where it came in that form: members in order, in lower case, without blanks. */
  readonly callText?: JsonText | undefined;
};

/** A request without `id`: it is run and never answered. `params` is undefined when they cannot be used. */
export type Notification = {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: readonly unknown[] | undefined;
};

/** What is not a request, with the answer it gets. */
type Malformed = { readonly kind: 'malformed'; readonly id: JsonText; readonly error: RpcError };

const NO_UTF8: RpcError = new RpcError('parseError', 'invalid UTF-8');

export type BatchItem = Call | Notification | Malformed;

/** At least one item, in the order of the body. */
type Batch = { readonly kind: 'batch'; readonly items: readonly BatchItem[] };

export type Envelope = BatchItem | Batch;

/** From this many bytes on a body is scanned before it is parsed, and read in pieces; below, parsing takes 3 ms at most. */
export const LARGE_BODY_BYTES: number = 64 * 1024;
/** From this many bytes on parsing may take a part of a millisecond: such bodies are read in turns. */
export const TURN_BODY_BYTES: number = 16 * 1024;
/** Of an id as JSON text, which each answer repeats. */
const MAX_ID_LENGTH = limitOf('body.idLength');
/** Of an id in a body that is not parsed. */
const MAX_ECHOED_NUMBER = 100;
/** A millisecond of scanning, of bytes that take longest. */
const SCAN_PIECE_BYTES = 512 * 1024;
/** A millisecond of decoding. */
const DECODE_PIECE_BYTES = 256 * 1024;
/** Bytes of UTF-8 that continue a character begin with the bits 10. */
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
/** Members of objects that are parsed in one go, in about as long. */
const MEMBERS_AT_ONCE = 2_000;

/** Reads a body. Never throws: what cannot be read is `Malformed`, and so is a batch that is too large. */
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
    return malformed('null', new RpcError('parseError', describeSyntaxError(error)));
  }
  if (!Array.isArray(value)) return parseItem(value, hasNumberId(value) ? findRawId(text) : undefined);
  return parseBatch(value, value.some(hasNumberId) ? findRawIds(text, value) : [], maxBatchItems);
}

/**
 * The same, with pauses while a body of `LARGE_BODY_BYTES` or more is read, and bounds on what that may cost.
 * @param reader nothing is parsed for one that has gone
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
    return malformed('null', new RpcError('parseError', describeSyntaxError(error)));
  }
  yield;
  if (Array.isArray(value)) return parseBatch(value, scan.rawIds, maxBatchItems);
  return parseItem(value, scan.rawIds[0]);
}

/** The number that is the id of a large body, where that is one request; `null` otherwise. Nothing is parsed. */
export function findNumberId(body: Uint8Array): JsonText {
  const scan = new BodyScan(asBuffer(body), 1);
  scan.run(body.length);
  const [id] = scan.rawIds;
  return scan.problem === undefined && !scan.isList && id !== undefined && isNumber(id) ? id : 'null';
}

/** Of what no parser has looked at. */
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

/** The same bytes. */
export function asBuffer(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** The text that the bytes are; undefined when they are no UTF-8. Nearly all bodies are ASCII, which is read faster. */
function decodeText(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** The same for many bytes that are not all ASCII, with pauses. */
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

/** Raw text of the value's id; undefined when it has none or none that is allowed. */
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

/** The engine's own messages quote the body; only the place is kept. */
function describeSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position \d+/.exec(message)?.[0];
  if (position !== undefined) return `unexpected text ${position}`;
  return message.includes('end of JSON input') ? 'unexpected end of the body' : 'not a JSON text';
}
