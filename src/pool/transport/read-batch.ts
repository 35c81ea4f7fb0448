import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { NodeError, NodeReply } from '../node-call.ts';
import type { AnswerBounds, BatchBounds } from './answer-bounds.ts';
import { excessive } from './answer-shape.ts';
import {
  isAnonymousError,
  isBlank,
  isErrorAnswer,
  malformed,
  readErrorInSlices,
  readReplyInSlices,
  skipBlank,
} from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

const LIST_BEGIN = 0x5b;
const LIST_END = 0x5d;
const COMMA = 0x2c;
const OBJECT_BEGIN = 0x7b;
const OBJECT_END = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
/** Maximum number of digits of an id; a double represents every integer of up to 15 digits exactly. */
const MAX_ID_DIGITS = 15;
/**
 * Maximum size of an error that is read as a refusal of a batch or as a rate limit, bytes. Nodes and vendors refuse a batch in one line of text, so a
 * longer error is about one call.
 */
export const REFUSAL_BYTES: number = 4_096;
/** Bytes that are read without a pause; this takes a fraction of a millisecond. */
const SLICE_BYTES = 256 * 1024;
/** Fixed texts of answers on the fast path. geth, reth and anvil write the id before the result; other nodes write the result first. */
const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT_BEHIND_ID = Buffer.from(',"result":"');
const RESULT_FIRST = Buffer.from('{"jsonrpc":"2.0","result":"');
const ID_BEHIND_RESULT = Buffer.from(',"id":');

/** Answer of a node to a batch. */
export type NodeBatchAnswer = {
  /** Replies in the order of the calls; undefined for a call without exactly one answer. */
  readonly replies: readonly (NodeReply | undefined)[];
  /** Size of each reply, bytes; 0 if there is no reply. */
  readonly bytes: readonly number[];
  /**
   * Error object, if the answer to the batch contains nothing else: such an error may refuse the whole batch. If the answer is a list and the error
   * has the id of a call, the error is also the reply to this call.
   */
  readonly refusal: NodeError | undefined;
};

/**
 * Reads a complete answer to a batch, with pauses. The answer is a list of replies, or a single error if the node refuses the whole batch.
 * @param firstId id of the first call; the ids are consecutive
 * @throws UpstreamFault if the body is neither a list nor a single error, has an answer to a call that was not in the batch, or has an answer that is
 * longer than its request can need
 */
export function readBatch(
  body: Buffer,
  firstId: number,
  bounds: BatchBounds,
): Generator<undefined, NodeBatchAnswer> {
  return new BatchParser(body, firstId, bounds).read();
}

/** Converts a parsed single error to the answer of a batch; undefined if it has the id of another call, or is too long for a refusal. */
export function readLoneRefusal(
  scanner: ReplyScanner,
  error: NodeError,
  firstId: number,
  bounds: BatchBounds,
): NodeBatchAnswer | undefined {
  return new BatchParser(Buffer.alloc(0), firstId, bounds).takeLoneError(scanner, error);
}

/**
 * Parses the bytes in one pass. On the fast path, a result that is a string without escapes is copied from the bytes; any other answer is read by a
 * `ReplyScanner`.
 */
class BatchParser {
  readonly #body: Buffer;
  readonly #firstId: number;
  readonly #bounds: BatchBounds;
  readonly #replies: (NodeReply | undefined)[];
  readonly #bytes: number[];
  readonly #isSeen: boolean[];
  /** Error without an id. */
  #anonymous: NodeError | undefined;
  #anonymousBytes = 0;
  #answers = 0;
  /** Last id that `#readNumber` has read; NaN if it was invalid. */
  #number = Number.NaN;

  constructor(body: Buffer, firstId: number, bounds: BatchBounds) {
    const { length } = bounds.answers;
    this.#body = body;
    this.#firstId = firstId;
    this.#bounds = bounds;
    this.#replies = new Array(length).fill(undefined);
    this.#bytes = new Array(length).fill(0);
    this.#isSeen = new Array(length).fill(false);
  }

  *read(): Generator<undefined, NodeBatchAnswer> {
    const body = this.#body;
    let at = skipBlank(body, 0);
    if (body[at] === OBJECT_BEGIN) return yield* this.#readLoneError(at);
    if (body[at] !== LIST_BEGIN) throw malformed('the answer is not a batch');
    let pauseAt = SLICE_BYTES;
    do {
      const from = skipBlank(body, at + 1);
      const end = this.#readFastPath(from) ?? (yield* this.#scanAnswer(from));
      at = skipBlank(body, end);
      if (at < pauseAt) continue;
      pauseAt = at + SLICE_BYTES;
      yield;
    } while (body[at] === COMMA);
    if (body[at] !== LIST_END) throw malformed('the answer is not a batch');
    if (!isBlank(body, at + 1)) throw malformed('the answer has trailing data');
    return this.#createAnswer(this.#findRefusal());
  }

  takeLoneError(scanner: ReplyScanner, error: NodeError): NodeBatchAnswer | undefined {
    const { start = 0, end = 0 } = scanner.error ?? {};
    if (end - start > REFUSAL_BYTES) return undefined;
    const isOurs = isAnonymousError(scanner) || this.#findPosition(scanner.id) !== undefined;
    return isOurs ? this.#createAnswer(error) : undefined;
  }

  /** Reads an answer that is a single error. geth refuses a batch with the id of its first call; other nodes write no id. */
  *#readLoneError(from: number): Generator<undefined, NodeBatchAnswer> {
    const { scanner, text } = yield* this.#scan(from);
    if (!isBlank(this.#body, from + text.length)) throw malformed('the answer has trailing data');
    if (!isErrorAnswer(scanner)) throw malformed('the answer is not a batch');
    const answer = this.takeLoneError(scanner, yield* readErrorInSlices(scanner, text));
    if (answer === undefined) throw malformed('the answer is not a batch');
    return answer;
  }

  #createAnswer(refusal: NodeError | undefined): NodeBatchAnswer {
    return { replies: this.#replies, bytes: this.#bytes, refusal };
  }

  #findRefusal(): NodeError | undefined {
    if (this.#answers !== 1) return undefined;
    const position = this.#replies.findIndex((one) => one !== undefined);
    if ((this.#bytes[position] ?? this.#anonymousBytes) > REFUSAL_BYTES) return undefined;
    const reply = this.#replies[position];
    return reply?.kind === 'error' ? reply.error : this.#anonymous;
  }

  /** @returns the position after the answer that begins at `from`; undefined if a `ReplyScanner` must read the answer */
  #readFastPath(from: number): number | undefined {
    if (this.#answers++ === this.#replies.length) throw malformed('the batch has more answers than calls');
    return this.#readIdFirst(from) ?? this.#readResultFirst(from);
  }

  #readIdFirst(from: number): number | undefined {
    if (!this.#holds(ID_FIRST, from)) return undefined;
    const idEnd = this.#readNumber(from + ID_FIRST.length);
    if (!this.#holds(RESULT_BEHIND_ID, idEnd)) return undefined;
    const start = idEnd + RESULT_BEHIND_ID.length;
    const end = this.#skipUnescapedText(start);
    if (this.#body[end] !== QUOTE || this.#body[end + 1] !== OBJECT_END) return undefined;
    this.#keepText(start - 1, end + 1);
    return end + 2;
  }

  #readResultFirst(from: number): number | undefined {
    if (!this.#holds(RESULT_FIRST, from)) return undefined;
    const start = from + RESULT_FIRST.length;
    const end = this.#skipUnescapedText(start);
    if (this.#body[end] !== QUOTE || !this.#holds(ID_BEHIND_RESULT, end + 1)) return undefined;
    const idEnd = this.#readNumber(end + 1 + ID_BEHIND_RESULT.length);
    if (this.#body[idEnd] !== OBJECT_END) return undefined;
    this.#keepText(start - 1, end + 1);
    return idEnd + 1;
  }

  *#scanAnswer(from: number): Generator<undefined, number> {
    const { scanner, text } = yield* this.#scan(from);
    if (isAnonymousError(scanner)) {
      this.#anonymous = yield* readErrorInSlices(scanner, text);
      this.#anonymousBytes = text.length;
    } else {
      const reply = yield* readReplyInSlices(scanner, text);
      this.#keep(this.#findPosition(scanner.id), reply, text.length);
    }
    return from + text.length;
  }

  /** Scans the answer that begins at `from`; the positions of the scanner are relative to `from`. */
  *#scan(from: number): Generator<undefined, { readonly scanner: ReplyScanner; readonly text: Buffer }> {
    const scanner = new ReplyScanner(this.#bounds.shape);
    let at = from;
    for (;;) {
      at += scanner.push(this.#body.subarray(at, at + SLICE_BYTES));
      if (scanner.isDone) return { scanner, text: this.#body.subarray(from, at) };
      if (at === this.#body.length) throw malformed('the answer ends too early');
      yield;
    }
  }

  #holds(text: Buffer, from: number): boolean {
    const body = this.#body;
    // The bytes are compared from the end, because different texts mostly differ at their ends.
    for (let i = text.length - 1; i >= 0; i--) if (body[from + i] !== text[i]) return false;
    return true;
  }

  /**
   * Reads a decimal id into `#number`; NaN if the digits are not an id that this service can have sent.
   * @returns the position after the id
   */
  #readNumber(from: number): number {
    const body = this.#body;
    let at = from;
    let number = 0;
    for (;;) {
      const byte = body[at] as number;
      if (!(byte >= ZERO && byte <= NINE)) break;
      number = 10 * number + byte - ZERO;
      at++;
    }
    const digits = at - from;
    const isExact = digits > 0 && digits <= MAX_ID_DIGITS && (body[from] !== ZERO || digits === 1);
    this.#number = isExact ? number : Number.NaN;
    return at;
  }

  /** Returns the position after printable ASCII without quotes and escapes. */
  #skipUnescapedText(from: number): number {
    const body = this.#body;
    let at = from;
    for (;;) {
      const byte = body[at] as number;
      if (!(byte >= 0x20 && byte < 0x7f) || byte === QUOTE || byte === BACKSLASH) return at;
      at++;
    }
  }

  /** Stores the result of the call whose id is `#number`. */
  #keepText(start: number, end: number): void {
    const result = this.#body.toString('latin1', start, end);
    this.#keep(this.#placeOf(this.#number), { kind: 'result', result }, end - start);
  }

  #keep(position: number | undefined, reply: NodeReply, length: number): void {
    if (position === undefined) throw malformed('the batch has an answer to another call');
    const { bytes, isFixed } = this.#bounds.answers[position] as AnswerBounds;
    if (isFixed && reply.kind === 'result' && lengthOf(reply.result) > bytes) throw excessive('bytes');
    this.#bytes[position] = length;
    this.#replies[position] = this.#isSeen[position] === true ? undefined : reply;
    this.#isSeen[position] = true;
  }

  /** Returns the position of the call with this id. @param id text of the id in the answer */
  #findPosition(id: string | undefined): number | undefined {
    if (id === undefined || id.length === 0 || id.length > MAX_ID_DIGITS) return undefined;
    const number = Number(id);
    return Number.isInteger(number) && String(number) === id ? this.#placeOf(number) : undefined;
  }

  #placeOf(id: number): number | undefined {
    const position = id - this.#firstId;
    return position >= 0 && position < this.#replies.length ? position : undefined;
  }
}

/** Returns the length of a result; all results in a batch are text. */
function lengthOf(result: JsonResult): number {
  return typeof result === 'string' ? result.length : 0;
}

/**
 * Returns a reply for each call. If an error is the only answer, it counts as the reply to all calls.
 * @throws UpstreamFault if a call has no reply or several replies
 */
export function requireAll({ replies, refusal }: NodeBatchAnswer): readonly NodeReply[] {
  if (refusal !== undefined && replies.every((reply) => reply === undefined || reply.kind === 'error')) {
    return replies.map(() => ({ kind: 'error', error: refusal }));
  }
  return replies.map((reply) => {
    if (reply === undefined) throw malformed('the batch does not have one answer for each call');
    return reply;
  });
}
