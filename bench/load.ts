import { connect, type Socket } from 'node:net';

/** What to send and how hard: each connection has one request in flight. */
export type LoadPlan = {
  readonly host: string;
  readonly port: number;
  /** Complete request, head and body. */
  readonly request: Uint8Array;
  readonly connections: number;
  readonly durationMs: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds, ascending, of at most `MAX_SAMPLES` requests. */
  readonly latencies: Float64Array;
};

const MAX_SAMPLES = 1_000_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/** Builds an HTTP/1.1 POST with a JSON body. */
export function encodePost(path: string, host: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/**
 * Keeps `connections` keep-alive sockets busy for `durationMs`. Raw sockets: the generator must cost less than
 * the server it measures. Rejects on any answer but 200.
 */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const samples = new Float64Array(MAX_SAMPLES);
  const started = performance.now();
  const until = started + plan.durationMs;
  let requests = 0;
  const onAnswer = (latency: number): boolean => {
    if (requests < MAX_SAMPLES) samples[requests] = latency;
    requests++;
    return performance.now() < until;
  };
  await Promise.all(Array.from({ length: plan.connections }, () => runConnection(plan, onAnswer)));
  const seconds = (performance.now() - started) / 1000;
  return { requests, seconds, latencies: samples.slice(0, Math.min(requests, MAX_SAMPLES)).sort() };
}

/** One connection's loop; `onAnswer` says whether to go on. */
function runConnection(plan: LoadPlan, onAnswer: (latency: number) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: plan.host, port: plan.port, noDelay: true });
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(plan.request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const length = measureResponse(pending);
      if (length === undefined || pending.length < length) return;
      if (pending.toString('latin1', 9, 12) !== '200') {
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
