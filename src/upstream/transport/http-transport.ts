import { Pool } from 'undici';
import { ExpirySweep } from '../../util/expiry-sweep.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeCall, NodeReply } from '../node-call.ts';
import { AnswerReader } from './answer-reader.ts';
import { BatchReader } from './batch-reader.ts';
import type { BodyReader } from './body-reader.ts';
import { encodeBatch, encodeCall } from './encode-call.ts';
import { type Exchange, type ExchangeHost, HttpExchange } from './http-exchange.ts';
import { refuseCall } from './refuse-call.ts';
import type { ResultSource } from './result-stream.ts';
import type { Endpoint, SendOptions, Transport, TransportLimits } from './transport.ts';

/** Idle connections are kept this long unless the node says otherwise. */
const KEEP_ALIVE_MS = 30_000;

/** Reaches a node over HTTP/1.1, one call at a time on each of a bounded number of connections. */
export function createHttpTransport(endpoint: Endpoint, limits: TransportLimits): Transport {
  return new HttpTransport(endpoint, limits);
}

class HttpTransport implements Transport, ExchangeHost {
  readonly answerTimeout: number;
  readonly stallTimeout: number;
  readonly answerBytes: number;
  readonly #limits: TransportLimits;
  readonly #pool: Pool;
  /** For retries: every request has a connection of its own. */
  readonly #retryPool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #exchanges = new ExpirySweep<Exchange>();
  /** Requests that hold a connection or wait for one. */
  #inFlight = 0;
  #lastId = 0;
  #isClosed = false;

  constructor({ url, headers }: Endpoint, limits: TransportLimits) {
    this.answerTimeout = limits.answerTimeout;
    this.stallTimeout = limits.stallTimeout;
    this.answerBytes = limits.answerBytes;
    this.#limits = limits;
    this.#path = url.pathname + url.search;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    };
    // Exchanges watch their own times: the client's timers are coarse and do not see how long a request is queued.
    const options = {
      connections: limits.connections,
      connect: { timeout: limits.connectTimeout },
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#pool = new Pool(url.origin, { ...options, pipelining: 1 });
    this.#retryPool = new Pool(url.origin, { ...options, pipelining: 0 });
  }

  send(call: NodeCall, options: SendOptions): Promise<NodeReply> {
    const id = this.#takeId();
    return this.#exchange(
      encodeCall(call, id),
      options,
      (source) => new AnswerReader(id, this.#limits, source),
    );
  }

  async sendBatch(calls: readonly NodeCall[], options: SendOptions): Promise<readonly NodeReply[]> {
    if (calls.length === 0) return [];
    const ids = calls.map(() => this.#takeId());
    const body = encodeBatch(calls, ids);
    return this.#exchange(body, options, () => new BatchReader(ids, this.#limits.answerBytes));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const fault = new UpstreamFault('unreachable', 'the connections to the node are being closed');
    for (const exchange of this.#exchanges.list()) exchange.fail(fault);
    await Promise.all([this.#pool.destroy(), this.#retryPool.destroy()]);
  }

  dispatch(exchange: Exchange, isRetry: boolean): void {
    const pool = isRetry ? this.#retryPool : this.#pool;
    const { body, traceParent } = exchange;
    const headers =
      traceParent === undefined ? this.#headers : { ...this.#headers, traceparent: traceParent };
    pool.dispatch({ path: this.#path, method: 'POST', headers, body }, exchange);
  }

  forget(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
  }

  release(): void {
    this.#inFlight--;
  }

  #exchange<T>(
    body: string,
    options: SendOptions,
    createReader: (source: ResultSource) => BodyReader<T>,
  ): Promise<T> {
    const refusal = refuseCall(options, this.#isClosed, this.#inFlight >= this.#limits.inFlight);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const parts = { host: this, body, options, createReader, resolve, reject };
      const exchange = new HttpExchange(parts);
      this.#inFlight++;
      this.#exchanges.add(exchange);
      this.dispatch(exchange, false);
    });
  }

  #takeId(): string {
    return String(++this.#lastId);
  }
}
