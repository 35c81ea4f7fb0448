import {
  JsonBytes,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeBatch, encodeSmallError } from '../rpc/response.ts';
import { LARGE_TEXT, streamParts } from '../rpc/text-pieces.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import { collectStream } from './collect-stream.ts';

/** Maximum UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
/** Texts of at least this many UTF-16 units are measured on arrival, because measuring them all at the end would take tens of milliseconds. */
const MIN_MEASURED_LENGTH = 4 * 1024;

const NO_ROOM = new RpcError('overloaded', 'answers.bytes');
const TOO_LARGE = new RpcError('responseTooLarge', 'batch.answerBytes');

/** A response: its text, the pieces of its bytes, or a stream. */
type Response = JsonText | readonly Uint8Array[] | JsonStream;

/** A streamed response that is being collected. */
type Arriving = { readonly stream: JsonStream; reservedBytes: number };

/**
 * Responses of a batch as they arrive, with a bound on their total bytes. Items at the end of the batch are refused first. Whatever the order of
 * arrival, the first refused item is the one at which the sum of sizes, counted from the first item, exceeds the bound. If there is no memory for a
 * response, an error replaces the response, and items that have not begun get the same error.
 */
export class BatchAnswer {
  readonly #items: readonly BatchItem[];
  readonly #limit: number;
  readonly #memory: AnswerMemory;
  readonly #onRefused: (error: RpcError) => void;
  readonly #responses: (Response | undefined)[];
  /** Bytes of each item in the answer, including its comma. */
  readonly #sizes: number[];
  /**
   * Whether short texts are measured. A short text that is not measured counts with its maximum UTF-8 size; texts are measured once the total exceeds
   * the bound.
   */
  #isMeasured = false;
  /** Streamed responses that are being collected, by position. */
  readonly #arriving = new Map<number, Arriving>();
  #bytes = 0;
  #cut: number;
  /** Set after there was no memory for a response. */
  #isFull = false;

  /** @param onRefused called at the end for each response that an error replaced */
  constructor(
    items: readonly BatchItem[],
    maxBytes: number,
    memory: AnswerMemory,
    onRefused: (error: RpcError) => void = () => {},
  ) {
    this.#onRefused = onRefused;
    this.#items = items;
    this.#limit = maxBytes;
    this.#memory = memory;
    this.#responses = new Array(items.length);
    this.#sizes = new Array(items.length).fill(0);
    this.#cut = items.length;
  }

  /** Position of the first item that the bound on total bytes refuses. */
  get cut(): number {
    return this.#cut;
  }

  /** Items at this position and later must not begin; 0 if there was no memory for a response. */
  get end(): number {
    return this.#isFull ? 0 : this.#cut;
  }

  /** Stores the complete response of an item, and replaces any pieces that were collected for it. */
  put(position: number, response: JsonResult): void {
    if (position < this.#cut && this.#memory.hold(reservedBy(response))) {
      this.#responses[position] = response;
      this.#count(position, this.#sizeOf(response) - (this.#sizes[position] ?? 0));
      return;
    }
    if (typeof response !== 'string') response.cancel();
    this.#refuse(position);
  }

  /** Collects the response of an item piece by piece. Rejects with the error of the stream. */
  async collect(position: number, stream: JsonStream): Promise<void> {
    const arriving: Arriving = { stream, reservedBytes: 0 };
    this.#arriving.set(position, arriving);
    let pieces: readonly Uint8Array[] | undefined;
    try {
      // The stream's source stays in memory until the last piece is made, so the memory of the source is counted too.
      const isReserved = this.#hold(arriving, reservedBy(stream));
      if (!isReserved) stream.cancel();
      else {
        pieces = await collectStream(
          stream,
          (bytes) => this.#hold(arriving, bytes) && this.#count(position, bytes),
        );
      }
    } finally {
      this.#arriving.delete(position);
      this.#memory.drop(arriving.reservedBytes);
    }
    if (position >= this.#cut) return;
    if (pieces === undefined || !this.#memory.hold(reservedBy(pieces))) {
      this.#refuse(position);
      return;
    }
    this.#responses[position] = pieces;
    this.#count(position, 1);
  }

  /**
   * Builds the answer, with an error for each item from the cut on and each item without memory; '' if all items are notifications. A large answer is
   * returned as a stream; its reader must release the memory of the responses (`reservedBytes`). If the answer is not a stream, `join` releases the
   * memory of the responses.
   */
  join(): JsonResult {
    const remaining: Response[] = [];
    let length = 0;
    let hasStream = false;
    for (let position = 0; position < this.#items.length; position++) {
      const item = this.#items[position] as BatchItem;
      if (item.kind === 'notification') continue;
      const response = this.#responses[position] ?? this.#encodeRefusal(item, position);
      length += lengthOf(response);
      hasStream ||= isStream(response) && !(response instanceof JsonBytes);
      remaining.push(response);
    }
    if (length > LARGE_TEXT || hasStream) {
      const cancel = (): void => {
        for (const response of remaining) if (isStream(response)) response.cancel();
      };
      return streamParts(listParts(remaining), this.#memory.taken, cancel);
    }
    this.#memory.release();
    if (remaining.length === 0) return '';
    return encodeBatch(
      remaining.map((response) => {
        if (typeof response === 'string') return response;
        if (response instanceof JsonBytes) return response.text;
        return Buffer.concat(response as readonly Uint8Array[]).toString();
      }),
    );
  }

  /** Drops all responses, including the ones that are still arriving. */
  abandon(): void {
    this.#memory.release();
    while (this.#cut > 0) this.#dropLast();
  }

  #encodeRefusal({ id }: Exclude<BatchItem, { kind: 'notification' }>, position: number): JsonText {
    const refusal = position < this.#cut ? NO_ROOM : TOO_LARGE;
    this.#onRefused(refusal);
    return encodeSmallError(id, refusal);
  }

  #hold(arriving: Arriving, bytes: number): boolean {
    if (!this.#memory.hold(bytes)) return false;
    arriving.reservedBytes += bytes;
    return true;
  }

  #refuse(position: number): void {
    if (position >= this.#cut) return;
    this.#isFull = true;
    this.#count(position, -(this.#sizes[position] ?? 0));
  }

  /** Counts bytes of an item in the answer. @returns whether the answer has room for these bytes */
  #count(position: number, bytes: number): boolean {
    if (position >= this.#cut) return false;
    this.#sizes[position] = (this.#sizes[position] ?? 0) + bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#limit && !this.#isMeasured) this.#measure();
    while (this.#bytes > this.#limit) this.#dropLast();
    return position < this.#cut;
  }

  #sizeOf(response: JsonResult): number {
    if (typeof response !== 'string') return 1 + (response.length ?? 0);
    const isMeasured = this.#isMeasured || response.length >= MIN_MEASURED_LENGTH;
    return 1 + (isMeasured ? Buffer.byteLength(response) : MAX_BYTES_PER_UNIT * response.length);
  }

  #measure(): void {
    this.#isMeasured = true;
    this.#responses.forEach((response, position) => {
      if (typeof response !== 'string' || response.length >= MIN_MEASURED_LENGTH) return;
      const bytes = this.#sizeOf(response);
      this.#bytes += bytes - (this.#sizes[position] ?? 0);
      this.#sizes[position] = bytes;
    });
  }

  #dropLast(): void {
    const last = --this.#cut;
    this.#bytes -= this.#sizes[last] ?? 0;
    const response = this.#responses[last];
    this.#responses[last] = undefined;
    if (response !== undefined) {
      this.#memory.drop(reservedBy(response));
      if (isStream(response)) response.cancel();
    }
    this.#arriving.get(last)?.stream.cancel();
  }
}

function* listParts(responses: readonly Response[]): Generator<JsonText | Uint8Array | JsonStream> {
  let separator = '[';
  for (const response of responses) {
    yield separator;
    if (response instanceof JsonBytes) yield* listBytes(response);
    else if (typeof response === 'string' || isStream(response)) yield response;
    else yield* response;
    separator = ',';
  }
  yield ']';
}

/** Yields head and tail as text, so that they are merged with the neighbouring texts. */
function* listBytes({ head, value, tail }: JsonBytes): Generator<JsonText | Uint8Array> {
  yield Buffer.from(head).toString();
  yield value.bytes;
  yield Buffer.from(tail).toString();
}

function isStream(response: Response): response is JsonStream {
  return typeof response !== 'string' && 'pieces' in response;
}

/** Returns the approximate heap size of a response, bytes. Nearly all texts are Latin-1, which takes one byte per UTF-16 unit. */
function reservedBy(response: Response): number {
  if (typeof response === 'string') return response.length;
  return isStream(response) ? (response.reservedBytes ?? 0) : measure(response);
}

function lengthOf(response: Response): number {
  return isStream(response) ? (response.length ?? 0) : reservedBy(response);
}

function measure(pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  return bytes;
}
