import type { JsonResult, JsonStream, JsonText } from '../primitives/json-result.ts';
import type { BatchItem } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeBatch, encodeSmallError } from '../rpc/response.ts';
import { LARGE_TEXT, streamParts } from '../rpc/text-pieces.ts';
import { collectStream } from './collect-stream.ts';

/** What UTF-8 needs at most for one unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

/** Bytes that are taken of the shared memory at a time; an answer below it takes none. */
const RESERVE_BYTES = 256 * 1024;

/** Memory that answers share. */
export type AnswerMemory = {
  /** Whether there is room; if so, it is taken. */
  tryTake(bytes: number): boolean;
  giveBack(bytes: number): void;
};

/** A response: its text, or the pieces of its bytes. */
type Response = JsonText | readonly Uint8Array[];

/**
 * The responses of a batch as they come in, with a bound on their bytes. What exceeds it falls off the end, so the cut
 * is where the bound would be passed if the responses had come in order, whatever was ready first.
 */
export class BatchAnswer {
  readonly #items: readonly BatchItem[];
  readonly #limit: number;
  readonly #responses: (Response | undefined)[];
  /** Bytes held for each item, with its comma. */
  readonly #sizes: number[];
  /** Whether texts are measured. As long as the bound is far they only count as the most that they can be. */
  #isMeasured = false;
  /** Responses that are being collected, by position. */
  readonly #arriving = new Map<number, JsonStream>();
  readonly #memory: AnswerMemory | undefined;
  #reserved = 0;
  #isRefused = false;
  #bytes = 0;
  #cut: number;

  /** @param memory of which large answers take what they hold until they are joined */
  constructor(items: readonly BatchItem[], maxBytes: number, memory?: AnswerMemory) {
    this.#items = items;
    this.#limit = maxBytes;
    this.#memory = memory;
    this.#responses = new Array(items.length);
    this.#sizes = new Array(items.length).fill(0);
    this.#cut = items.length;
  }

  /** Position of the first item for whose response there is no room. */
  get cut(): number {
    return this.#cut;
  }

  /** Takes the response of an item, in place of whatever is held of it. */
  put(position: number, response: JsonText): void {
    if (position >= this.#cut) return;
    this.#responses[position] = response;
    this.#hold(position, this.#sizeOf(response) - (this.#sizes[position] ?? 0));
  }

  /** Takes the response of an item piece by piece. Rejects with what the stream throws. */
  async collect(position: number, response: JsonStream): Promise<void> {
    this.#arriving.set(position, response);
    try {
      const pieces = await collectStream(response, (bytes) => this.#hold(position, bytes));
      if (pieces === undefined || position >= this.#cut) return;
      this.#responses[position] = pieces;
      this.#hold(position, 1);
    } finally {
      this.#arriving.delete(position);
    }
  }

  /**
   * The answer, with an error for each item behind the cut; '' when no item wants a response. In pieces where it is large. The memory
   * that was taken for it is given back: the pieces say what they hold.
   * @returns `overloaded` where there was no memory for it
   */
  join(): JsonResult | RpcError {
    this.release();
    if (this.#isRefused) return new RpcError('overloaded');
    const kept: Response[] = [];
    let length = 0;
    for (let position = 0; position < this.#items.length; position++) {
      const item = this.#items[position] as BatchItem;
      if (item.kind === 'notification') continue;
      const response =
        this.#responses[position] ?? encodeSmallError(item.id, new RpcError('responseTooLarge'));
      length += typeof response === 'string' ? response.length : measure(response);
      kept.push(response);
    }
    if (kept.length === 0) return '';
    if (length > LARGE_TEXT) return streamParts(listParts(kept), this.#bytes);
    return encodeBatch(
      kept.map((response) => (typeof response === 'string' ? response : Buffer.concat(response).toString())),
    );
  }

  /** Gives back the memory that was taken. */
  release(): void {
    if (this.#reserved > 0) this.#memory?.giveBack(this.#reserved);
    this.#reserved = 0;
  }

  /** Counts what is held for an item; whether there is room for it. */
  #hold(position: number, bytes: number): boolean {
    if (position >= this.#cut) return false;
    this.#sizes[position] = (this.#sizes[position] ?? 0) + bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#limit && !this.#isMeasured) this.#measure();
    while (this.#bytes > this.#limit) this.#dropLast();
    if (this.#bytes - this.#reserved >= RESERVE_BYTES && !this.#reserve()) {
      this.#isRefused = true;
      while (this.#cut > 0) this.#dropLast();
    }
    return position < this.#cut;
  }

  #reserve(): boolean {
    if (this.#memory === undefined) return true;
    const bytes = this.#bytes - this.#reserved;
    if (!this.#memory.tryTake(bytes)) return false;
    this.#reserved += bytes;
    return true;
  }

  #sizeOf(response: JsonText): number {
    return 1 + (this.#isMeasured ? Buffer.byteLength(response) : MAX_BYTES_PER_UNIT * response.length);
  }

  #measure(): void {
    this.#isMeasured = true;
    this.#responses.forEach((response, position) => {
      if (typeof response !== 'string') return;
      const bytes = this.#sizeOf(response);
      this.#bytes += bytes - (this.#sizes[position] ?? 0);
      this.#sizes[position] = bytes;
    });
  }

  #dropLast(): void {
    const last = --this.#cut;
    this.#bytes -= this.#sizes[last] ?? 0;
    this.#responses[last] = undefined;
    this.#arriving.get(last)?.cancel();
  }
}

function* listParts(responses: readonly Response[]): Generator<JsonText | Uint8Array, void, undefined> {
  let separator = '[';
  for (const response of responses) {
    yield separator;
    if (typeof response === 'string') yield response;
    else yield* response;
    separator = ',';
  }
  yield ']';
}

function measure(pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  return bytes;
}
