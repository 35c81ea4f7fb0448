import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonText } from '../primitives/json-result.ts';
import { RpcError } from './errors.ts';
import { isNestedTooDeeply } from './nesting.ts';
import { findRawId, findRawIds } from './raw-id.ts';

/** A request that wants an answer. `id` is raw JSON text, to be echoed as it is. */
export type Call = {
  readonly kind: 'call';
  readonly id: JsonText;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** A request without `id`: it is run and never answered. `params` is undefined when they cannot be used. */
export type Notification = {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: readonly unknown[] | undefined;
};

/** What is not a request, with the answer it gets. */
type Malformed = { readonly kind: 'malformed'; readonly id: JsonText; readonly error: RpcError };

export type BatchItem = Call | Notification | Malformed;

/** At least one item, in the order of the body. */
type Batch = { readonly kind: 'batch'; readonly items: readonly BatchItem[] };

/** A batch with more items than allowed; `ids` are those that wait for an answer. */
export type OversizedBatch = {
  readonly kind: 'oversizedBatch';
  readonly ids: readonly JsonText[];
  readonly error: RpcError;
};

export type Envelope = BatchItem | Batch | OversizedBatch;

/** Reads a body with one JSON.parse. Never throws: what cannot be read is `Malformed`. */
export function parseEnvelope(body: Uint8Array, maxBatchItems: number): Envelope {
  const text = decodeText(body);
  if (text === undefined) return malformed('null', new RpcError('parseError', 'invalid UTF-8'));
  if (isNestedTooDeeply(body)) return malformed('null', new RpcError('parseError', 'nested too deeply'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed('null', new RpcError('parseError', describeSyntaxError(error)));
  }
  if (Array.isArray(value)) return parseBatch(value, text, maxBatchItems);
  return parseItem(value, hasNumberId(value) ? findRawId(text) : undefined);
}

/** The text that the bytes are; undefined when they are no UTF-8. Nearly all bodies are ASCII, which is read faster. */
function decodeText(body: Uint8Array): string | undefined {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function parseBatch(values: readonly unknown[], text: string, maxItems: number): Envelope {
  if (values.length === 0) return malformed('null', new RpcError('emptyBatch'));
  const rawIds = values.some(hasNumberId) ? findRawIds(text, values) : [];
  if (values.length > maxItems) {
    const ids: JsonText[] = [];
    for (let i = 0; i < values.length; i++) {
      const id = readId(values[i], rawIds[i]);
      if (id !== undefined) ids.push(id);
    }
    const error = new RpcError('batchTooLarge', `${values.length} items, the limit is ${maxItems}`);
    return { kind: 'oversizedBatch', ids, error };
  }
  return { kind: 'batch', items: values.map((value, i) => parseItem(value, rawIds[i])) };
}

function parseItem(value: unknown, rawId: string | undefined): BatchItem {
  if (!isObject(value)) {
    return malformed('null', new RpcError('invalidRequest', 'expected a request object'));
  }
  const id = readId(value, rawId);
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
