import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** What to send and how hard: each connection has one request in flight. */
export type LoadPlan = {
  readonly host: string;
  readonly port: number;
  /** Complete request, head and body; a function where no two requests are to be the same. */
  readonly request: Uint8Array | (() => Uint8Array);
  readonly connections: number;
  readonly durationMs: number;
  /** Ends earlier after so many answers, give or take one for each connection. */
  readonly maxRequests?: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds, ascending, of at most `MAX_SAMPLES` requests. */
  readonly latencies: Float64Array;
};

const MAX_SAMPLES = 1_000_000;
/** In the answers of a server that does what the measurement is about. */
const BAD_MEMBERS = ['"error":', '"result":null'].map((text) => Buffer.from(text));
const HEAD_END = Buffer.from('\r\n\r\n');

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
  #requests = 0;

  constructor({
    durationMs,
    maxRequests = Number.POSITIVE_INFINITY,
  }: Pick<LoadPlan, 'durationMs' | 'maxRequests'>) {
    this.#until = this.#started + durationMs;
    this.#maxRequests = maxRequests;
  }

  /** Whether another request may be sent. */
  readonly onAnswer = (latency: number): boolean => {
    if (this.#requests < MAX_SAMPLES) this.#samples[this.#requests] = latency;
    this.#requests++;
    return this.#requests < this.#maxRequests && performance.now() < this.#until;
  };

  get result(): LoadResult {
    return {
      requests: this.#requests,
      seconds: (performance.now() - this.#started) / 1000,
      latencies: this.#samples.slice(0, Math.min(this.#requests, MAX_SAMPLES)).sort(),
    };
  }
}

/**
 * Keeps `connections` keep-alive sockets busy for `durationMs`. Raw sockets: the generator must cost less than
 * the server it measures. Rejects on any answer but 200, on errors and on nulls.
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const recorder = new Recorder(plan);
  await Promise.all(Array.from({ length: plan.connections }, () => runConnection(plan, recorder.onAnswer)));
  return recorder.result;
}

export type WebSocketLoadPlan = Pick<LoadPlan, 'connections' | 'durationMs'> & {
  readonly url: string;
  /** JSON text of one request. */
  readonly message: string;
};

/** The same over WebSocket: one message in flight on each connection. Rejects on an answer with an error. */
export async function runWebSocketLoad(plan: WebSocketLoadPlan): Promise<LoadResult> {
  const recorder = new Recorder(plan);
  await Promise.all(Array.from({ length: plan.connections }, () => runWebSocket(plan, recorder.onAnswer)));
  return recorder.result;
}

function runWebSocket(
  { url, message }: WebSocketLoadPlan,
  onAnswer: (latency: number) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.send(message);
    };
    socket.on('open', send);
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      if (data.includes('"error"')) {
        reject(new Error(`unexpected answer: ${data.toString('latin1', 0, 200)}`));
        socket.terminate();
        return;
      }
      if (onAnswer(performance.now() - sentAt)) {
        send();
        return;
      }
      resolve();
      socket.terminate();
    });
  });
}

/** One connection's loop; `onAnswer` says whether to go on. */
function runConnection(plan: LoadPlan, onAnswer: (latency: number) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: plan.host, port: plan.port, noDelay: true });
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(plan.request instanceof Uint8Array ? plan.request : plan.request());
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const length = measureResponse(pending);
      if (length === undefined || pending.length < length) return;
      const isGood =
        pending.toString('latin1', 9, 12) === '200' && !BAD_MEMBERS.some((text) => pending.includes(text));
      if (!isGood) {
        reject(new Error(`unexpected answer: ${pending.toString('latin1', 0, 200)}`));
        socket.destroy();
        return;
      }
      pending = Buffer.alloc(0);
      if (onAnswer(performance.now() - sentAt)) {
        send();
        return;
      }
      resolve();
      socket.destroy();
    });
  });
}

/** Length of the response at the start of `bytes`, once its head is complete. */
function measureResponse(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return end + HEAD_END.length + Number(length);
}

/** The value below which `share` (0 to 1) of the ascending samples lie. */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? Number.NaN;
}

/** The middle of a list. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length >> 1;
  const upper = ascending[middle] ?? Number.NaN;
  return ascending.length % 2 === 1 ? upper : (upper + (ascending[middle - 1] ?? Number.NaN)) / 2;
}
