import type { FaultKind, UpstreamFault } from '../fault.ts';
import type { BodyReader } from './body-reader.ts';
import { describeRefusal } from './http-status.ts';
import { PieceList } from './piece-list.ts';
import { isBlank, isErrorAnswer, readError } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

/** Ways in which the body can fail us; the status is known all the same. */
const INTERRUPTIONS: ReadonlySet<FaultKind> = new Set(['unreachable', 'timeout', 'malformed', 'tooLarge']);

/** Reads the body beside a status other than 2xx: some nodes send their JSON-RPC errors that way. */
export class RefusalReader<T> implements BodyReader<T> {
  readonly isWaitedFor = true;
  readonly #status: number;
  readonly #answerBytes: number;
  readonly #retryAfter: string | undefined;
  readonly #reader: BodyReader<T>;
  readonly #held = new PieceList();
  #received = 0;

  /**
   * @param reader knows what was asked
   * @param answerBytes of a body; a longer one is judged by the status alone
   */
  constructor(status: number, retryAfter: string | undefined, reader: BodyReader<T>, answerBytes: number) {
    this.#status = status;
    this.#retryAfter = retryAfter;
    this.#reader = reader;
    this.#answerBytes = answerBytes;
  }

  push(chunk: Buffer): undefined {
    this.#received += chunk.length;
    if (this.#received > this.#answerBytes) throw this.#describe(undefined);
    this.#held.push(chunk);
  }

  end(): T {
    const body = this.#held.join();
    const fault = this.#describe(readErrorData(body));
    if (fault.kind === 'rateLimited') throw fault;
    const value = this.#reader.readRefusal(body, fault.kind === 'unauthorized');
    if (value === undefined) throw fault;
    return value;
  }

  fail(fault: UpstreamFault): UpstreamFault {
    return INTERRUPTIONS.has(fault.kind) ? this.#describe(undefined) : fault;
  }

  readRefusal(): undefined {
    return undefined;
  }

  #describe(data: unknown): UpstreamFault {
    return describeRefusal({ status: this.#status, retryAfter: this.#retryAfter, data });
  }
}

/** The `data` of the error where the body is one JSON-RPC error, whosever it is. */
function readErrorData(body: Buffer): unknown {
  const scanner = new ReplyScanner();
  try {
    const at = scanner.push(body);
    if (scanner.isDone && isBlank(body, at) && isErrorAnswer(scanner)) return readError(scanner, body).data;
  } catch {
    // No JSON-RPC answer: the status says all there is.
  }
  return undefined;
}
