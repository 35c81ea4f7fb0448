import { Pool } from 'undici';
import type { AnswerMemory } from '../../util/answer-memory.ts';
import { ExpirySweep } from '../../util/expiry-sweep.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { BATCH_BYTES, findBatchBounds, findBounds } from './answer-bounds.ts';
import { AnswerReader } from './answer-reader.ts';
import { BatchReader } from './batch-reader.ts';
import { CallCoalescer, type CoalescingHost } from './call-coalescer.ts';
import { CallGroup } from './call-group.ts';
import { encodeCall, encodeCallBatch } from './encode-call.ts';
import { compileHttpParser } from './http-parser.ts';
import { HttpRequest, type OutgoingRequest, type RequestHost, type RunningRequest } from './http-request.ts';
import { createConnector } from './node-connector.ts';
import { type NodeBatchAnswer, requireAll } from './read-batch.ts';
import { refuseCall } from './refuse-call.ts';
import type { ResultSource } from './result-stream.ts';
import type {
  Endpoint,
  OnComplete,
  OnCompleteMany,
  SendOptions,
  Transport,
  TransportLimits,
} from './transport.ts';

/** Time for which idle connections stay open, ms, unless the node specifies a different time. */
const KEEP_ALIVE_MS = 30_000;

/** Creates a transport over HTTP/1.1, with one request at a time on each of a bounded number of connections. */
export function createHttpTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  compileHttpParser();
  return new HttpTransport(endpoint, limits);
}

class HttpTransport implements Transport, RequestHost, CoalescingHost {
  readonly answerTimeout: number;
  readonly stallTimeout: number;
  readonly memory: () => AnswerMemory;
  readonly #limits: TransportLimits;
  readonly #pool: Pool;
  /** Pool for retries and for `isOnce` calls, in which every request has a separate connection. */
  readonly #ownPool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #contexts = new ExpirySweep<RunningRequest>();
  readonly #coalescer: CallCoalescer;
  /** Number of occupied places: calls whose requests use a connection, wait for a connection, or are about to be sent. */
  #inFlight = 0;
  #lastId = 0;
  #isClosed = false;

  constructor({ url, headers }: Endpoint, limits: TransportLimits) {
    this.answerTimeout = limits.answerTimeout;
    this.stallTimeout = limits.stallTimeout;
    this.memory = limits.memory;
    this.#limits = limits;
    this.#coalescer = new CallCoalescer(limits.batch, this);
    this.#path = url.pathname + url.search;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    };
    // `HttpRequest` enforces the timeouts. undici's timers are coarse, and do not include the time for which a request is queued.
    const options = {
      connections: limits.connections,
      connect: createConnector(limits.connectTimeout),
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#pool = new Pool(url.origin, { ...options, pipelining: 1 });
    this.#ownPool = new Pool(url.origin, { ...options, pipelining: 0 });
  }

  send(call: NodeCall, options: SendOptions): Promise<NodeReply> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refuse(options);
      if (refusal !== undefined) return reject(refusal);
      this.#inFlight++;
      const complete = { resolve, reject };
      if (!this.#coalescer.take(call, options, complete)) this.sendAlone(call, options, complete);
    });
  }

  sendMany(calls: readonly NodeCall[], options: SendOptions, complete: OnCompleteMany): void {
    const { batch } = options;
    const group = new CallGroup(options, complete);
    for (const [position, call] of calls.entries()) {
      const refusal = this.#refuse(options);
      if (refusal !== undefined) {
        complete.reject(position, refusal);
        continue;
      }
      this.#inFlight++;
      if (batch !== undefined && this.#coalescer.mayShare(call))
        this.#coalescer.takeItem(batch, group.add(call, position));
      else this.sendAlone(call, options, completeOne(complete, position));
    }
  }

  sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]> {
    if (calls.length === 0) return Promise.resolve([]);
    return new Promise<NodeBatchAnswer>((resolve, reject) => {
      const refusal = this.#refuse(options);
      if (refusal !== undefined) return reject(refusal);
      this.#inFlight++;
      this.#begin(this.#numberBatch(calls, 1, Math.min(this.#limits.answerBytes, BATCH_BYTES)), options, {
        resolve,
        reject,
      });
    }).then(requireAll);
  }

  sendAlone(call: NodeCall, options: SendOptions, complete: OnComplete<NodeReply>): void {
    const id = String(++this.#lastId);
    const createReader = (source: ResultSource): AnswerReader =>
      new AnswerReader(
        id,
        this.#limits,
        findBounds(call.method, call.params),
        source,
        call.takesBytes === true,
      );
    const isOnce = call.isOnce === true;
    const credits = this.#limits.meter?.priceOf(call.method) ?? 0;
    this.#begin({ body: encodeCall(call, id), places: 1, credits, createReader, isOnce }, options, complete);
  }

  sendCoalescedBatch(
    calls: readonly NodeCall[],
    options: SendOptions,
    complete: OnComplete<NodeBatchAnswer>,
  ): RunningRequest {
    const answerBytes = Math.min(this.#limits.answerBytes, this.#limits.streamBytes);
    return this.#begin(this.#numberBatch(calls, calls.length, answerBytes), options, complete);
  }

  takePlace(): void {
    this.#inFlight++;
  }

  releasePlace(): void {
    this.#inFlight--;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const fault = new UpstreamFault('unreachable', 'the connections to the node are being closed');
    for (const running of this.#contexts.list()) running.fail(fault);
    await Promise.all([this.#pool.destroy(), this.#ownPool.destroy()]);
  }

  dispatch(running: RunningRequest, isAlone: boolean): void {
    const pool = isAlone ? this.#ownPool : this.#pool;
    const { body, traceParent } = running;
    const headers =
      traceParent === undefined ? this.#headers : { ...this.#headers, traceparent: traceParent };
    pool.dispatch({ path: this.#path, method: 'POST', headers, body }, running);
  }

  noteExcessive(fault: UpstreamFault): void {
    this.#limits.onExcessive?.(fault);
  }

  forget(running: RunningRequest): void {
    this.#contexts.delete(running);
  }

  release({ places }: RunningRequest): void {
    this.#inFlight -= places;
  }

  charge(credits: number): void {
    this.#limits.meter?.charge(credits);
  }

  #refuse(options: SendOptions): UpstreamFault | undefined {
    return refuseCall(options, this.#isClosed, this.#inFlight >= this.#limits.inFlight);
  }

  #numberBatch(
    calls: readonly NodeCall[],
    places: number,
    answerBytes: number,
  ): OutgoingRequest<NodeBatchAnswer> {
    const firstId = this.#lastId + 1;
    this.#lastId += calls.length;
    const createReader = (): BatchReader =>
      new BatchReader(firstId, findBatchBounds(calls, answerBytes), this.#limits.memory);
    const { meter } = this.#limits;
    const credits =
      meter === undefined ? 0 : calls.reduce((total, { method }) => total + meter.priceOf(method), 0);
    return { body: encodeCallBatch(calls, firstId), places, credits, createReader };
  }

  #begin<T>(request: OutgoingRequest<T>, options: SendOptions, complete: OnComplete<T>): RunningRequest {
    const running = new HttpRequest(this, request, options, complete);
    this.#contexts.add(running);
    this.dispatch(running, request.isOnce === true);
    return running;
  }
}

function completeOne({ resolve, reject }: OnCompleteMany, position: number): OnComplete<NodeReply> {
  return { resolve: (reply) => resolve(position, reply), reject: (fault) => reject(position, fault) };
}
