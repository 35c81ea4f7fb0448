import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { SendBacklogTotal } from './send-backlog-total.ts';

/** Size up to which a backlog in the socket is not counted, bytes; only the socket's timeout applies to it. */
const UNCOUNTED_BYTES = 16 * 1024;

/** Internal handle of a socket in Node.js. During one long write, only this handle shows progress. Node.js uses it for socket timeouts too. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/** Closes a connection and drops its answers. `share`: the shared bound has no room for the answers; `slow`: the client reads too slowly. */
export type CutOff = (reason: 'share' | 'slow') => void;

/**
 * Send backlog of one connection. The backlog has three parts: bytes in the socket that the kernel has not accepted, answers queued in a pipeline,
 * and bytes that wait for compression or behind a stream.
 */
export class SendBacklog {
  readonly #all: SendBacklogTotal;
  readonly #socket: Duplex;
  readonly #cutOff: CutOff;
  /** Responses that Node.js queues behind earlier responses of the pipeline. */
  readonly #queued = new Set<ServerResponse>();
  #asideBytes = 0;
  #streams = 0;
  /** Number of bytes that `SendBacklogTotal` counts for `owner`. */
  reserved = 0;
  owner = '';
  /** Whether the socket had a backlog at the last measurement. */
  #isSending = false;
  /** Time of the last measurement, ms; `#taken` is the number of bytes that the kernel had accepted by then. */
  #at = 0;
  #taken = 0;
  /** Time by which the client lags behind a client that reads at `sendRate`, ms. */
  #lag = 0;
  /** Set when the connection is being closed. The backlog of this connection stays in memory and is counted until the socket is closed. */
  isCutOff = false;
  #isClosed = false;

  constructor(all: SendBacklogTotal, socket: Duplex, cutOff: CutOff) {
    this.#all = all;
    this.#socket = socket;
    this.#cutOff = cutOff;
    socket.once('close', () => {
      this.#isClosed = true;
      this.update();
    });
  }

  /**
   * Counts the backlog again. Must be called after a write that the kernel did not accept immediately.
   * @param owner caller whose request is being answered
   */
  update(owner: string = this.owner): void {
    const { destroyed, writableLength } = this.#socket;
    // Nothing is measured while a socket is being destroyed: it does not report its buffer, which is freed in a later iteration of the event loop.
    if (destroyed && !this.#isClosed) return;
    const isSending = !destroyed && writableLength > UNCOUNTED_BYTES;
    const bytes = destroyed
      ? 0
      : this.#asideBytes + this.#countQueued() + (isSending ? this.#countSocket() : 0);
    this.#measureLag(isSending);
    if (bytes !== this.reserved || (bytes > 0 && owner !== this.owner)) this.#all.note(this, owner, bytes);
  }

  /** Counts a response that Node.js buffers until earlier responses are sent. */
  queue(response: ServerResponse, owner: string): void {
    const leave = (): void => {
      response.removeListener('socket', leave);
      response.removeListener('close', leave);
      this.#queued.delete(response);
      this.update();
    };
    response.on('socket', leave);
    response.on('close', leave);
    this.#queued.add(response);
    this.update(owner);
  }

  /**
   * Counts bytes that are not in the socket yet, because they wait for compression, for a stream to end, or for an answer.
   * @returns a function that removes these bytes from the send backlog
   */
  setAside(bytes: number, owner: string): () => void {
    let isOver = false;
    this.#asideBytes += bytes;
    this.update(owner);
    return () => {
      if (isOver) return;
      isOver = true;
      this.#asideBytes -= bytes;
      this.update();
    };
  }

  /** Begins a stream. Until `endStream`, all pieces count as one long answer: the lag is not reset when the socket is empty between two pieces. */
  beginStream(): void {
    this.#streams++;
  }

  endStream(): void {
    this.#streams--;
    this.update();
  }

  /** Whether the client lags by more than `graceMs` behind a client that reads at `sendRate`. */
  isTooSlow(graceMs: number): boolean {
    return this.#lag > graceMs && !this.isCutOff;
  }

  /** Closes the connection. */
  cutOff(reason: 'share' | 'slow'): void {
    this.isCutOff = true;
    this.#cutOff(reason);
  }

  #countSocket(): number {
    const socket = this.#socket;
    // TLS buffers the ciphertext in addition to the plaintext.
    const encrypted = socket instanceof TLSSocket ? (handleOf(socket)?.writeQueueSize ?? 0) : 0;
    return socket.writableLength + encrypted;
  }

  #countQueued(): number {
    let bytes = 0;
    for (const response of this.#queued) bytes += response.writableLength;
    return bytes;
  }

  /** Updates the lag. Time counts only while bytes are in the socket, because only these bytes wait for the client to read. */
  #measureLag(isSending: boolean): void {
    if (!isSending && !this.#isSending) return;
    const now = performance.now();
    const taken = readTaken(this.#socket);
    if (this.#isSending) {
      // If this process did not run for some time, this time does not count as lag of the client.
      const passed = Math.min(now - this.#at, this.#all.maxStepMs);
      const read = ((taken - this.#taken) * 1_000) / this.#all.sendRate;
      this.#lag = Math.max(0, this.#lag + passed - read);
    }
    this.#isSending = isSending;
    this.#at = now;
    this.#taken = taken;
    if (!isSending && this.#streams === 0) this.#lag = 0;
  }
}

/** Returns the number of bytes that the kernel has accepted so far. */
function readTaken(socket: Duplex): number {
  const handle = handleOf(socket);
  return handle === undefined ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

function handleOf(socket: Duplex): Handle | undefined {
  return socket instanceof Socket
    ? ((socket as unknown as { readonly _handle: Handle | null })._handle ?? undefined)
    : undefined;
}
