import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { FaultKind, UpstreamFault } from '../fault.ts';
import { ERROR_BYTES, ERROR_SHAPE } from './answer-shape.ts';
import { readInSlots } from './answer-slots.ts';
import type { BodyReader, LoneError } from './body-reader.ts';
import { BufferedPieces } from './buffered-pieces.ts';
import { describeRefusal } from './http-status.ts';
import { isBlank, isErrorAnswer, readErrorInSlices } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

/** Maximum size of a list of errors (an answer to a batch), bytes. The limit is low because a list is scanned only when it is complete. */
const LIST_BYTES = 1_048_576;

/** Faults of the body that are ignored, because the HTTP status already describes the failure. */
const INTERRUPTIONS: ReadonlySet<FaultKind> = new Set(['unreachable', 'timeout', 'malformed', 'tooLarge']);

/**
 * Reads the body of a response with a status other than 2xx, because some nodes send JSON-RPC errors with such a status. If a body is too long, or
 * has more values than an error can need, only the status is used.
 */
export class RefusalReader<T> implements BodyReader<T> {
  readonly isWaitedFor = true;
  readonly maxBytes: number;
  readonly #status: number;
  readonly #retryAfter: string | undefined;
  readonly #reader: BodyReader<T>;
  readonly #buffered: BufferedPieces;
  readonly #scanner = new ReplyScanner(ERROR_SHAPE);
  /** Whether the received bytes may be a single JSON-RPC answer. */
  #mayBeAnswer = true;
  #received = 0;

  /**
   * @param reader reader of the expected 2xx answer, which also interprets the error
   * @param memory opens a reservation of memory for the buffered body
   */
  constructor(
    status: number,
    retryAfter: string | undefined,
    reader: BodyReader<T>,
    memory: () => AnswerMemory,
  ) {
    this.#buffered = new BufferedPieces(memory);
    this.#status = status;
    this.#retryAfter = retryAfter;
    this.#reader = reader;
    this.maxBytes = reader.maxBytes;
  }

  push(chunk: Buffer): undefined {
    this.#received += chunk.length;
    if (this.#received > this.maxBytes) throw this.#describe(undefined);
    if (this.#received > ERROR_BYTES + LIST_BYTES) this.#mayBeAnswer = false;
    if (this.#mayBeAnswer) this.#mayBeAnswer = this.#scan(chunk);
    if (this.#mayBeAnswer || this.#received <= LIST_BYTES) this.#buffered.push(chunk);
    else this.#buffered.clear();
  }

  end(): PromiseOrValue<T> {
    return readInSlots(this.#received, this.#read());
  }

  *#read(): Generator<undefined, T> {
    try {
      const body = this.#buffered.join();
      const lone = yield* this.#readLoneError(body);
      const fault = this.#describe(lone?.error.data);
      if (fault.kind === 'rateLimited') throw fault;
      const mustNameCall = fault.kind === 'unauthorized';
      const value =
        lone === undefined
          ? yield* this.#readList(body, mustNameCall)
          : this.#reader.readRefusal(lone, mustNameCall);
      if (value === undefined) throw fault;
      return value;
    } finally {
      this.#buffered.clear();
    }
  }

  *#readList(body: Buffer, mustNameCall: boolean): Generator<undefined, T | undefined> {
    const list = this.#reader.readRefusalList?.(body, mustNameCall);
    return list === undefined ? undefined : yield* list;
  }

  /** Reads the body if it is a single JSON-RPC error, with any id. */
  *#readLoneError(body: Buffer): Generator<undefined, LoneError | undefined> {
    const scanner = this.#scanner;
    try {
      if (this.#mayBeAnswer && scanner.isDone && isErrorAnswer(scanner))
        return { scanner, error: yield* readErrorInSlices(scanner, body) };
    } catch {
      // A body that is not a JSON-RPC answer is ignored, and only the HTTP status is used.
    }
    return undefined;
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#buffered.clear();
    return INTERRUPTIONS.has(fault.kind) ? this.#describe(undefined) : fault;
  }

  readRefusal(): undefined {
    return undefined;
  }

  #scan(chunk: Buffer): boolean {
    try {
      const at = this.#scanner.isDone ? 0 : this.#scanner.push(chunk);
      return !this.#scanner.isDone || isBlank(chunk, at);
    } catch {
      return false;
    }
  }

  #describe(data: unknown): UpstreamFault {
    return describeRefusal({ status: this.#status, retryAfter: this.#retryAfter, data });
  }
}
