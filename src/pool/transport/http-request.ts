import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import type { CancelSignal } from '../../util/cancel-source.ts';
import type { Expiring } from '../../util/expiry-sweep.ts';
import { UpstreamFault } from '../fault.ts';
import { excessive } from './answer-shape.ts';
import { completeInSlot } from './answer-slots.ts';
import type { BodyReader } from './body-reader.ts';
import { PARSED } from './bound-framing.ts';
import { describeConnectionError, isBrokenConnection } from './connection-error.ts';
import { ContentDecoder, createDecompressor, type DecodedSink } from './content-decoder.ts';
import { RefusalReader } from './refusal-reader.ts';
import type { ResultSource } from './result-stream.ts';
import type { OnComplete, SendOptions } from './transport.ts';

/** Minimum bytes of an answer per `stallTimeout` while a consumer waits for them. */
const LEAST_PROGRESS = 4_096;

/**
 * Allowed number of pieces of one answer; one more is allowed per `BYTES_PER_PIECE` bytes. Processing a piece takes as long as processing a kilobyte,
 * however short the piece is.
 */
const PIECES = 1_024;
const BYTES_PER_PIECE = 16;

/** One HTTP request, independent of the type of its value. */
export interface RunningRequest extends Dispatcher.DispatchHandler, Expiring {
  readonly body: string;
  /** W3C trace context, sent as the header `traceparent`. */
  readonly traceParent: string | undefined;
  /** Number of calls in the request. */
  readonly places: number;
  /** Whether the request has been assigned a connection. */
  readonly isSent: boolean;
  fail(fault: UpstreamFault): void;
}

/** Settings and connections that request contexts share. */
export interface RequestHost {
  readonly answerTimeout: number;
  readonly stallTimeout: number;
  /** Opens a reservation of memory for an answer. */
  readonly memory: () => AnswerMemory;
  /** Reports that the node sent more than the request can need. */
  noteExcessive(fault: UpstreamFault): void;
  /**
   * Sends the request over a connection. If `isAlone`, the connection is new and used only for this request, so the node cannot have closed the
   * connection while it was idle.
   */
  dispatch(running: RunningRequest, isAlone: boolean): void;
  /** Removes the request from the expiry timer. */
  forget(running: RunningRequest): void;
  /** Charges the credits of a request that the provider of the node bills. */
  charge(credits: number): void;
  /** Frees the in-flight places of the request, because the request no longer uses a connection or waits for one. */
  release(running: RunningRequest): void;
}

/** Body of a request, and the reader of its answer. */
export type OutgoingRequest<T> = {
  readonly body: string;
  readonly places: number;
  /** Price of all calls of the request. */
  readonly credits: number;
  /** Whether the request is sent only once, over a separate connection. */
  readonly isOnce?: boolean;
  readonly createReader: (source: ResultSource) => BodyReader<T>;
};

/**
 * HTTP statuses besides 5xx of answers that providers do not bill, because the rate or the credits of the plan are exceeded. Source: Infura's credit
 * costs (MetaMask/metamask-docs, services/get-started/pricing/credit-cost.mdx).
 */
const UNBILLED: ReadonlySet<number> = new Set([402, 429]);

/**
 * One HTTP request and its answer. The request ends when its answer has been read to the end, or has failed. A streamed result is delivered before
 * the answer has ended. The deadline of the call applies only until the result is delivered.
 */
export class HttpRequest<T> implements RunningRequest, DecodedSink, ResultSource {
  readonly body: string;
  readonly traceParent: string | undefined;
  readonly places: number;
  expiresAt: number;
  sweepIndex = -1;
  readonly #host: RequestHost;
  readonly #resolve: (value: T) => void;
  readonly #reject: (fault: UpstreamFault) => void;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  #deadline: number;
  #reader: BodyReader<T>;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: ContentDecoder | undefined;
  /** Bytes received since the stall timeout was last restarted. */
  #progress = 0;
  /** Number of received bytes of the body, before decoding; `#pieces` is the number of chunks in which they arrived. */
  #encodedBytes = 0;
  #pieces = 0;
  /** Decoded bytes of the body that the reader has taken. */
  #takenBytes = 0;
  #hasAnswer = false;
  #isCompleted = false;
  /** Whether the request must not be sent again if its connection breaks. */
  #isLastTry: boolean;
  /** Credits that are not charged yet; 0 after it is decided whether the provider bills the request. */
  #credits: number;
  #isOver = false;
  /** Set when the HTTP client has finished with the request. */
  #isHandedBack = false;

  constructor(
    host: RequestHost,
    { body, places, credits, isOnce = false, createReader }: OutgoingRequest<T>,
    options: SendOptions,
    { resolve, reject }: OnComplete<T>,
  ) {
    this.body = body;
    this.places = places;
    this.#isLastTry = isOnce;
    this.#credits = credits;
    this.traceParent = options.traceParent;
    this.#host = host;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = options.deadline;
    this.expiresAt = options.deadline;
    this.#reader = createReader(this);
    this.#signal = options.signal;
    if (options.signal !== undefined) {
      this.#onAbort = () => this.fail(new UpstreamFault('aborted', 'the call was cancelled'));
      options.signal.addEventListener('abort', this.#onAbort);
    }
  }

  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /** Ends the request with a fault, or breaks off its streamed result. The request is charged if the node has received it. */
  fail(fault: UpstreamFault): void {
    if (this.isSent && !this.#isOver) this.#charge();
    this.#fail(fault);
  }

  #fail(fault: UpstreamFault): void {
    if (this.#isOver) return;
    const reported = this.#reader.fail(fault);
    this.#end();
    this.#controller?.abort(fault);
    if (reported.kind === 'excessive') this.#host.noteExcessive(reported);
    this.#reject(reported);
  }

  expire(): void {
    if (this.#reader.isWaitedFor) this.fail(new UpstreamFault('timeout', 'the node did not answer in time'));
    else this.expiresAt = Number.POSITIVE_INFINITY;
  }

  pause(): void {
    if (this.#decoder === undefined) this.#controller?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    this.#expectMore(this.#host.stallTimeout);
    if (this.#decoder === undefined) this.#controller?.resume();
    else this.#decoder.resume();
  }

  cancel(): void {
    this.fail(new UpstreamFault('aborted', 'the result is no longer needed'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // An error thrown here makes undici drop the request without closing the connection.
    if (this.#isOver) throw new UpstreamFault('aborted', 'the call has ended');
    this.#controller = controller;
    this.#expectMore(this.#host.answerTimeout);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#hasAnswer = true;
    if (status < 200) return;
    PARSED.heads++;
    PARSED.isSized = headers['content-length'] !== undefined && headers['transfer-encoding'] === undefined;
    if (this.#isOver) return;
    if (status > 499 || UNBILLED.has(status)) this.#credits = 0;
    this.#charge();
    this.#expectMore(this.#host.stallTimeout);
    if (status > 299) {
      const retryAfter = readHeader(headers, 'retry-after');
      this.#reader = new RefusalReader(status, retryAfter, this.#reader, this.#host.memory);
    }
    const encoding = readHeader(headers, 'content-encoding') ?? 'identity';
    if (encoding === 'identity') {
      const length = readHeader(headers, 'content-length');
      if (length !== undefined) this.#expectBytes(Number(length));
      return;
    }
    const decompressor = createDecompressor(encoding);
    if (decompressor === undefined) {
      this.fail(new UpstreamFault('malformed', 'the answer has a content encoding that was not requested'));
    } else {
      this.#decoder = new ContentDecoder(decompressor, this, controller);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    PARSED.bodyBytes += chunk.length;
    if (this.#isOver) return;
    this.#progress += chunk.length;
    this.#encodedBytes += chunk.length;
    if (++this.#pieces > PIECES + this.#encodedBytes / BYTES_PER_PIECE) {
      this.fail(excessive('chunks'));
      return;
    }
    // The stall timeout restarts only after `LEAST_PROGRESS` bytes. If any byte restarted the timeout, a node that sends single bytes could occupy a
    // connection and its caller indefinitely.
    if (this.#progress >= LEAST_PROGRESS) this.#expectMore(this.#host.stallTimeout);
    if (this.#decoder === undefined) this.#take(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    PARSED.answers++;
    this.#isHandedBack = true;
    if (this.#isOver) this.#host.release(this);
    else if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isOver && !this.#hasAnswer && !this.#isLastTry && isBrokenConnection(error)) {
      // The idle connection may have been closed by the node just when the request was sent, so the request is sent again. Calls that are not
      // `isOnce` are safe to send again.
      this.#isLastTry = true;
      this.#host.dispatch(this, true);
      return;
    }
    this.#isHandedBack = true;
    if (this.#isOver) this.#host.release(this);
    else this.#fail(describeConnectionError(error));
  }

  takeDecoded(piece: Buffer): void {
    if (!this.#isOver) this.#take(piece);
  }

  endDecoded(): void {
    if (!this.#isOver) this.#finish();
  }

  failDecoding(): void {
    this.fail(new UpstreamFault('malformed', 'the compressed answer is malformed'));
  }

  /** Charges the request, once. */
  #charge(): void {
    const credits = this.#credits;
    if (credits === 0) return;
    this.#credits = 0;
    this.#host.charge(credits);
  }

  #expectBytes(bytes: number): void {
    try {
      this.#reader.expect?.(bytes);
    } catch (error) {
      this.fail(error as UpstreamFault);
    }
  }

  #take(chunk: Buffer): void {
    this.#takenBytes += chunk.length;
    try {
      const value = this.#reader.push(chunk);
      if (value !== undefined) this.#complete(value);
    } catch (error) {
      this.fail(error as UpstreamFault);
    }
  }

  /** Reads the complete body. The body has been received, so the stall timeout ends, and only the deadline of the call applies. */
  #finish(): void {
    this.expiresAt = this.#deadline;
    // If the result is already streamed, only the end of the answer is left to read, which takes little time.
    if (this.#isCompleted) this.#readEnd();
    else completeInSlot(this.#takenBytes, () => this.#readEnd());
  }

  #readEnd(): void {
    if (this.#isOver) return;
    try {
      const value = this.#reader.end();
      if (value instanceof Promise)
        value.then(
          (late) => this.#conclude(late),
          (error) => this.fail(error as UpstreamFault),
        );
      else this.#conclude(value);
    } catch (error) {
      this.fail(error as UpstreamFault);
    }
  }

  #conclude(value: T | undefined): void {
    if (this.#isOver) return;
    if (value !== undefined) this.#complete(value);
    this.#end();
  }

  /**
   * Delivers the value. After this, neither the deadline nor the signal of the caller ends the request; only the consumer of a stream can cancel it.
   */
  #complete(value: T): void {
    this.#isCompleted = true;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#ignoreSignal();
    this.#resolve(value);
  }

  #end(): void {
    this.#isOver = true;
    this.#ignoreSignal();
    this.#decoder?.destroy();
    this.#host.forget(this);
    if (this.#isHandedBack) this.#host.release(this);
  }

  #ignoreSignal(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #expectMore(timeout: number): void {
    this.#progress = 0;
    this.expiresAt = Math.min(this.#deadline, performance.now() + timeout);
  }
}

/** Returns a header field. The values of a repeated field are combined with commas. */
function readHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}
