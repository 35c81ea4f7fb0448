import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { SendBacklogTotal } from './send-backlog-total.ts';

/** Smaller amounts are the socket's own buffer: only the socket's timeout applies to them. */
const UNCOUNTED_BYTES = 16 * 1024;

/**
 * libuv's view of a socket. Inside one long write nothing else shows progress; node's own socket timeout reads it
 * too.
 */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/**
 * Closes a connection and drops its answers. `share`: no room for them; `slow`: the client reads them too slowly.
 */
export type CutOff = (reason: 'share' | 'slow') => void;

/**
 * Send backlog of one connection, not yet taken by the kernel: bytes in the socket, queued in a pipeline, or
 * waiting for compression. A connection without a backlog costs nothing.
 */
export class SendBacklog {
  readonly #all: SendBacklogTotal;
  readonly #socket: Duplex;
  readonly #cutOff: CutOff;
  /** Responses queued behind earlier ones. */
  readonly #queued = new Set<ServerResponse>();
  #asideBytes = 0;
  #streams = 0;
  /** Bytes counted under `owner`. */
  reserved = 0;
  owner = '';
  /** Whether the socket had a backlog at the last measurement. */
  #isSending = false;
  /** Time of the last measurement, ms, and the bytes that the kernel had taken by then. */
  #at = 0;
  #taken = 0;
  /** Lag of the client behind one that reads at the minimum rate, ms. */
  #lag = 0;
  /**
   * Set once the connection is cut off: its bytes count until it is closed, since they stay in memory until then.
   */
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
   * Recounts; called after a write that the kernel did not take immediately.
   * @param owner the caller being answered now
   */
  update(owner: string = this.owner): void {
    const { destroyed, writableLength } = this.#socket;
    // A socket being destroyed does not report its buffer; the kernel releases it in a later turn of the event
    // loop.
    if (destroyed && !this.#isClosed) return;
    const isSending = !destroyed && writableLength > UNCOUNTED_BYTES;
    const bytes = destroyed
      ? 0
      : this.#asideBytes + this.#countQueued() + (isSending ? this.#countSocket() : 0);
    this.#measureLag(isSending);
    if (bytes !== this.reserved || (bytes > 0 && owner !== this.owner)) this.#all.note(this, owner, bytes);
  }

  /** Counts a response that node holds back until earlier ones are sent. */
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
   * Counts bytes that are not in the socket yet: to be compressed, or queued behind a stream.
   * @returns a function that stops counting them
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

  /** Until `endStream`, lag accumulates over everything sent, as for one long answer. */
  beginStream(): void {
    this.#streams++;
  }

  endStream(): void {
    this.#streams--;
    this.update();
  }

  /** Whether the client lags behind the minimum rate by more than `graceMs`. */
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
    // TLS buffers the ciphertext beside the plaintext.
    const encrypted = socket instanceof TLSSocket ? (handleOf(socket)?.writeQueueSize ?? 0) : 0;
    return socket.writableLength + encrypted;
  }

  #countQueued(): number {
    let bytes = 0;
    for (const response of this.#queued) bytes += response.writableLength;
    return bytes;
  }

  /** Only bytes in the socket wait for the client. */
  #measureLag(isSending: boolean): void {
    if (!isSending && !this.#isSending) return;
    const now = performance.now();
    const taken = readTaken(this.#socket);
    if (this.#isSending) {
      // While this process did not run, its clients could not read.
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

/** Returns the bytes that the kernel has taken so far. */
function readTaken(socket: Duplex): number {
  const handle = handleOf(socket);
  return handle === undefined ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

function handleOf(socket: Duplex): Handle | undefined {
  return socket instanceof Socket
    ? ((socket as unknown as { readonly _handle: Handle | null })._handle ?? undefined)
    : undefined;
}
