import type { PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { FaultKind, UpstreamFault } from '../fault.ts';
import { ERROR_BYTES, ERROR_SHAPE } from './answer-shape.ts';
import { readInTurns } from './answer-turns.ts';
import type { BodyReader, LoneError } from './body-reader.ts';
import { HeldPieces } from './held-pieces.ts';
import { describeRefusal } from './http-status.ts';
import { isBlank, isErrorAnswer, readErrorInSlices } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

/** A list of errors, which answers a batch, is scanned when it is complete: no longer than this. */
const LIST_BYTES = 1_048_576;

/** Ways in which the body can fail us; the status is known all the same. */
const INTERRUPTIONS: ReadonlySet<FaultKind> = new Set(['unreachable', 'timeout', 'malformed', 'tooLarge']);

/**
 * Reads the body beside a status other than 2xx: some nodes send their JSON-RPC errors that way. A body that is too long, or has more in it
 * than an error can need, is dropped: the status says what there is to know.
 */
export class RefusalReader<T> implements BodyReader<T> {
  readonly isWaitedFor = true;
  readonly maxBytes: number;
  readonly #status: number;
  readonly #retryAfter: string | undefined;
  readonly #reader: BodyReader<T>;
  readonly #held: HeldPieces;
  readonly #scanner = new ReplyScanner(ERROR_SHAPE);
  /** Whether what came so far may be one JSON-RPC answer. */
  #mayBeAnswer = true;
  #received = 0;

  /**
   * @param reader knows what was asked
   * @param memory opens what is held
   */
  constructor(
    status: number,
    retryAfter: string | undefined,
    reader: BodyReader<T>,
    memory: () => AnswerMemory,
  ) {
    this.#held = new HeldPieces(memory);
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
    if (this.#mayBeAnswer || this.#received <= LIST_BYTES) this.#held.push(chunk);
    else this.#held.clear();
  }

  end(): PromiseOrValue<T> {
    return readInTurns(this.#received, this.#read());
  }

  *#read(): Generator<undefined, T> {
    try {
      const body = this.#held.join();
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
      this.#held.clear();
    }
  }

  *#readList(body: Buffer, mustNameCall: boolean): Generator<undefined, T | undefined> {
    const list = this.#reader.readRefusalList?.(body, mustNameCall);
    return list === undefined ? undefined : yield* list;
  }

  /** The body where it is one JSON-RPC error, whosever it is. */
  *#readLoneError(body: Buffer): Generator<undefined, LoneError | undefined> {
    const scanner = this.#scanner;
    try {
      if (this.#mayBeAnswer && scanner.isDone && isErrorAnswer(scanner))
        return { scanner, error: yield* readErrorInSlices(scanner, body) };
    } catch {
      // No JSON-RPC answer: the status says all there is.
    }
    return undefined;
  }

  fail(fault: UpstreamFault): UpstreamFault {
    this.#held.clear();
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
