import { HttpConnection } from './support/http-connection.ts';
import { WebSocketConnection } from './support/websocket-connection.ts';

/** Load of a run: each connection has one request in flight. */
export type LoadPlan = {
  readonly host: string;
  readonly port: number;
  /**
   * Complete request, head and body, or a frame of `encodeFrame`. A function makes each request distinct; it may return the bytes of a connection's
   * last request again, changed.
   */
  readonly request: Uint8Array | ((connection: number) => Uint8Array);
  /** WebSocket path; where set, the load goes over WebSocket instead of HTTP. */
  readonly webSocketPath?: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Ends the run early after this many answers, plus or minus one per connection. */
  readonly maxRequests?: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  /** Latencies of at most `MAX_SAMPLES` requests, milliseconds, ascending. */
  readonly latencies: Float64Array;
  /** The longest intervals in which no connection got an answer, milliseconds, ascending. */
  readonly silences: readonly number[];
};

const MAX_SAMPLES = 2_000_000;
/** Milliseconds; shorter intervals without an answer are not recorded. */
const LEAST_SILENCE = 5;
const MAX_SILENCES = 10_000;

/** Builds an HTTP/1.1 POST with a JSON body. */
export function encodePost(path: string, host: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Counts answers and their latencies until the time is up. */
class Recorder {
  readonly #samples = new Float64Array(MAX_SAMPLES);
  readonly #started = performance.now();
  readonly #until: number;
  readonly #maxRequests: number;
  readonly #silences: number[] = [];
  #requests = 0;
  #lastAt = this.#started;

  constructor({
    durationMs,
    maxRequests = Number.POSITIVE_INFINITY,
  }: Pick<LoadPlan, 'durationMs' | 'maxRequests'>) {
    this.#until = this.#started + durationMs;
    this.#maxRequests = maxRequests;
  }

  /** Records an answer and returns whether another request may be sent. */
  readonly onAnswer = (latency: number): boolean => {
    if (this.#requests < MAX_SAMPLES) this.#samples[this.#requests] = latency;
    this.#requests++;
    const now = performance.now();
    const silence = now - this.#lastAt;
    this.#lastAt = now;
    if (silence > LEAST_SILENCE && this.#silences.length < MAX_SILENCES) this.#silences.push(silence);
    return this.#requests < this.#maxRequests && now < this.#until;
  };

  get result(): LoadResult {
    return {
      requests: this.#requests,
      seconds: (performance.now() - this.#started) / 1000,
      latencies: this.#samples.slice(0, Math.min(this.#requests, MAX_SAMPLES)).sort(),
      silences: this.#silences.toSorted((a, b) => a - b),
    };
  }
}

/**
 * Keeps `connections` keep-alive sockets busy for `durationMs`.
 * @throws Error on any status but 200, on errors and on nulls, once all connections have ended
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const recorder = new Recorder(plan);
  const end = new AbortController();
  const run = async (_: unknown, index: number): Promise<void> => {
    try {
      await runConnection(plan, index, recorder.onAnswer, end.signal);
    } catch (error) {
      end.abort();
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: plan.connections }, run));
  const { result } = recorder;
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return result;
}

/** Runs one connection's loop; `onAnswer` returns whether to continue. */
function runConnection(
  { host, port, request, webSocketPath }: LoadPlan,
  index: number,
  onAnswer: (latency: number) => boolean,
  end: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      connection.send(request instanceof Uint8Array ? request : request(index));
    };
    const handlers = {
      onConnect: send,
      onAnswer() {
        if (onAnswer(performance.now() - sentAt) && !end.aborted) {
          send();
          return;
        }
        connection.close();
        resolve();
      },
      onFailure: reject,
    };
    const connection =
      webSocketPath === undefined
        ? new HttpConnection({ host, port }, handlers)
        : new WebSocketConnection({ host, port, path: webSocketPath }, handlers);
  });
}

/** Returns the value below which `share` (0 to 1) of the ascending samples lie. */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? Number.NaN;
}

/** Returns the median of unsorted values. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length >> 1;
  const upper = ascending[middle] ?? Number.NaN;
  return ascending.length % 2 === 1 ? upper : (upper + (ascending[middle - 1] ?? Number.NaN)) / 2;
}
