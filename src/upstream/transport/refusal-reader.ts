import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { FaultKind, UpstreamFault } from '../fault.ts';
import { ERROR_SHAPE } from './answer-shape.ts';
import type { BodyReader } from './body-reader.ts';
import { HeldPieces } from './held-pieces.ts';
import { describeRefusal } from './http-status.ts';
import { isBlank, isErrorAnswer, readError } from './read-reply.ts';
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
    if (this.#mayBeAnswer) this.#mayBeAnswer = this.#scan(chunk);
    if (this.#mayBeAnswer || this.#received <= LIST_BYTES) this.#held.push(chunk);
    else this.#held.clear();
  }

  end(): T {
    try {
      return this.#readEnd();
    } finally {
      this.#held.clear();
    }
  }

  #readEnd(): T {
    const body = this.#held.join();
    const scanner = this.#mayBeAnswer && this.#scanner.isDone ? this.#scanner : undefined;
    const fault = this.#describe(readErrorData(scanner, body));
    if (fault.kind === 'rateLimited') throw fault;
    const value = this.#reader.readRefusal(body, scanner, fault.kind === 'unauthorized');
    if (value === undefined) throw fault;
    return value;
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

/** The `data` of the error where the body is one JSON-RPC error, whosever it is. */
function readErrorData(scanner: ReplyScanner | undefined, body: Buffer): unknown {
  try {
    if (scanner !== undefined && isErrorAnswer(scanner)) return readError(scanner, body).data;
  } catch {
    // No JSON-RPC answer: the status says all there is.
  }
  return undefined;
}
