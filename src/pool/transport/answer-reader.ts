import { JsonBytes, SharedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import { dropRest } from '../../util/read-memory.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeReply } from '../node-call.ts';
import type { AnswerBounds } from './answer-bounds.ts';
import { ERROR_BYTES, excessive } from './answer-shape.ts';
import type { BodyReader, LoneError } from './body-reader.ts';
import { BufferedPieces } from './buffered-pieces.ts';
import { trimZeros } from './padded-quantities.ts';
import { PieceTrimmer } from './piece-trimmer.ts';
import {
  checkId,
  findResult,
  isAnonymousError,
  isBlank,
  isErrorAnswer,
  malformed,
  readReply,
} from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';
import { type ResultSource, ResultStream } from './result-stream.ts';

/** Maximum bytes of a response outside of its result, for example in ignored members. */
const OTHER_BYTES = 1_048_576;
/** Assumed size of the JSON-RPC envelope, bytes. A response whose Content-Length exceeds `streamBytes` by more than this is streamed. */
const ENVELOPE_BYTES = 1_024;
/** Minimum size of a result that is returned as bytes. A shorter result is returned as text, because a string costs less than an object. */
const LARGE_RESULT_BYTES = 8 * 1024;

/** Bounds of the transport, independent of the request. */
type OwnBounds = {
  /** Maximum bytes of the whole body, for any request. */
  readonly answerBytes: number;
  /** A result is returned as a stream as soon as more bytes than this have arrived or are announced. */
  readonly streamBytes: number;
  /** Opens a reservation of memory for the buffered answer. */
  readonly memory: () => AnswerMemory;
};

/** Reads the answer to one call, and forwards a large result as it arrives. */
export class AnswerReader implements BodyReader<NodeReply> {
  readonly #id: string;
  readonly #takesBytes: boolean;
  readonly #bounds: OwnBounds;
  readonly #answer: AnswerBounds;
  readonly #source: ResultSource;
  readonly #scanner: ReplyScanner;
  /** All bytes received so far; dropped when streaming begins. */
  readonly #buffered: BufferedPieces;
  #received = 0;
  /** Length of the whole body in bytes if it is known, otherwise 0. */
  #expected = 0;
  #stream: ResultStream | undefined;
  readonly #trimmer = new PieceTrimmer();

  /**
   * @param answer bounds on the answer to this request
   * @param takesBytes whether a large result may be returned as bytes
   */
  constructor(id: string, bounds: OwnBounds, answer: AnswerBounds, source: ResultSource, takesBytes = false) {
    this.#takesBytes = takesBytes;
    this.#id = id;
    this.#bounds = bounds;
    this.#answer = answer;
    this.#source = source;
    this.#scanner = new ReplyScanner(answer);
    this.#buffered = new BufferedPieces(bounds.memory);
  }

  get maxBytes(): number {
    return Math.min(this.#bounds.answerBytes, this.#answer.bytes);
  }

  get isWaitedFor(): boolean {
    return this.#stream === undefined || this.#stream.isWaitedFor;
  }

  expect(bytes: number): void {
    this.#checkBytes(bytes);
    this.#expected = bytes;
  }

  push(chunk: Buffer): NodeReply | undefined {
    const base = this.#received;
    this.#received += chunk.length;
    this.#checkBytes(this.#received);
    this.#scan(chunk);
    if (this.#stream !== undefined) {
      this.#forward(this.#stream, chunk, base);
      this.#scanner.padding.forget();
      return undefined;
    }
    this.#buffered.push(chunk);
    if (this.#isLarge) return this.#beginStream();
    // An error is buffered completely; its revert data may be long.
    const { error } = this.#scanner;
    const hasError = error !== undefined;
    if (hasError && (error.end ?? this.#received) - error.start > ERROR_BYTES) {
      throw this.#answer.isFixed ? excessive('bytes of an error') : tooLarge();
    }
    if (!hasError && this.#received > this.#bounds.streamBytes + OTHER_BYTES)
      throw this.#answer.isFixed ? excessive('bytes beside the result') : tooLarge();
    return undefined;
  }

  end(): PromiseOrValue<NodeReply | undefined> {
    let value: PromiseOrValue<NodeReply | undefined>;
    try {
      value = this.#readEnd();
    } catch (error) {
      this.#buffered.clear();
      throw error;
    }
    if (value instanceof Promise) return value.finally(() => this.#buffered.clear());
    this.#buffered.clear();
    return value;
  }

  #readEnd(): PromiseOrValue<NodeReply | undefined> {
    if (!this.#scanner.isDone) throw malformed('the answer ends too early');
    checkId(this.#scanner, this.#id);
    if (this.#stream !== undefined) {
      if (isErrorAnswer(this.#scanner)) throw malformed('the answer has both a result and an error');
      this.#stream.complete();
      return undefined;
    }
    if (this.#takesBytes && this.#countResultBytes() >= LARGE_RESULT_BYTES && !isErrorAnswer(this.#scanner)) {
      return { kind: 'result', result: new JsonBytes(new SharedBytes(this.#collectResult())) };
    }
    return readReply(this.#scanner, this.#buffered.join());
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#stream?.fail(fault);
    this.#buffered.clear();
    return fault;
  }

  readRefusal({ scanner, error }: LoneError, mustNameCall: boolean): NodeReply | undefined {
    if (scanner.id !== this.#id && (mustNameCall || !isAnonymousError(scanner))) return undefined;
    return { kind: 'error', error };
  }

  #checkBytes(bytes: number): void {
    if (bytes <= this.maxBytes) return;
    throw this.#answer.isFixed && bytes > this.#answer.bytes ? excessive('bytes') : tooLarge();
  }

  #scan(chunk: Buffer): void {
    const at = this.#scanner.isDone ? 0 : this.#scanner.push(chunk);
    if (this.#scanner.isDone && !isBlank(chunk, at)) throw malformed('the answer has trailing data');
  }

  /**
   * Whether the result is too large to be buffered, so that it must be streamed. If the Content-Length shows that the result is too large, the stream
   * begins with the first bytes of the result, and up to a megabyte per answer need not be buffered.
   */
  get #isLarge(): boolean {
    const bytes = this.#countResultBytes();
    const { streamBytes } = this.#bounds;
    if (bytes > streamBytes) return true;
    const isOpen = this.#scanner.result?.end === undefined;
    return isOpen && bytes >= LARGE_RESULT_BYTES && this.#expected > streamBytes + ENVELOPE_BYTES;
  }

  #countResultBytes(): number {
    const { result } = this.#scanner;
    return result === undefined ? 0 : (result.end ?? this.#received) - result.start;
  }

  /** Copies the result into a separate buffer, so that a reference to the result does not retain the rest of the answer. */
  #collectResult(): Buffer {
    const { start, end = this.#received } = findResult(this.#scanner);
    const bytes = Buffer.allocUnsafeSlow(end - start);
    let base = 0;
    for (const chunk of this.#buffered.pieces) {
      const from = Math.max(start - base, 0);
      if (from < chunk.length && base < end) bytes.set(chunk.subarray(from, end - base), base + from - start);
      base += chunk.length;
    }
    return trimZeros(bytes, start, this.#scanner.padding.zeros);
  }

  #beginStream(): NodeReply {
    if (this.#scanner.id !== undefined) checkId(this.#scanner, this.#id);
    if (isErrorAnswer(this.#scanner)) throw malformed('the answer has both a result and an error');
    const stream = new ResultStream(this.#source);
    this.#stream = stream;
    let base = 0;
    for (const chunk of this.#buffered.pieces) {
      this.#forward(stream, chunk, base);
      base += chunk.length;
    }
    this.#scanner.padding.forget();
    this.#buffered.clear();
    return { kind: 'result', result: stream };
  }

  #forward(stream: ResultStream, chunk: Uint8Array, base: number): void {
    const { start, end } = findResult(this.#scanner);
    const from = Math.max(start - base, 0);
    const to = Math.min((end ?? Number.POSITIVE_INFINITY) - base, chunk.length);
    if (from >= to) return;
    const piece = chunk.subarray(from, to);
    // The rest of the chunk is released now, because the stream withholds its last piece until the whole answer is parsed.
    if (end !== undefined) dropRest(piece);
    const { zeros, openAt } = this.#scanner.padding;
    if (zeros.length === 0 && openAt === Number.POSITIVE_INFINITY && !this.#trimmer.holds) {
      stream.push(piece);
      return;
    }
    for (const trimmed of this.#trimmer.trim(piece, base + from, zeros, openAt)) stream.push(trimmed);
  }
}

function tooLarge(): UpstreamFault {
  return new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
}
