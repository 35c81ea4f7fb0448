import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { UnsentAnswers } from './unsent-answers.ts';

/** Less than this is a socket's own buffer: it is neither counted nor timed, but for the socket's timeout. */
const UNCOUNTED_BYTES = 16 * 1024;

/** What libuv knows of a socket. Inside one long write nothing else shows progress; node's own socket timeout reads it too. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/** Closes a connection; its answers are dropped. `share`: there is no room for them; `slow`: they are read too slowly. */
export type CutOff = (reason: 'share' | 'slow') => void;

/**
 * What of the answers of one connection is here and not yet with the kernel: in the socket, waiting for their turn in a
 * pipeline, waiting to be compressed. A connection that has nothing unsent costs nothing.
 */
export class Outflow {
  readonly #all: UnsentAnswers;
  readonly #socket: Duplex;
  readonly #cutOff: CutOff;
  /** Answers that wait for those before them. */
  readonly #queued = new Set<ServerResponse>();
  #asideBytes = 0;
  #streams = 0;
  /** Bytes that are counted under `owner`. */
  held = 0;
  owner = '';
  /** The socket had something unsent when it was last looked at. */
  #isSending = false;
  /** When that was, milliseconds, and what the kernel had taken by then. */
  #at = 0;
  #taken = 0;
  /** How far its client is behind a client that reads at the least rate, milliseconds. */
  #lag = 0;
  /** It has been cut off: its bytes count until it is closed, since until then they are in memory. */
  isCutOff = false;
  #isClosed = false;

  constructor(all: UnsentAnswers, socket: Duplex, cutOff: CutOff) {
    this.#all = all;
    this.#socket = socket;
    this.#cutOff = cutOff;
    socket.once('close', () => {
      this.#isClosed = true;
      this.update();
    });
  }

  /** Counts anew; called after a write that the kernel did not take at once. `owner` is the caller that is answered now. */
  update(owner: string = this.owner): void {
    const { destroyed, writableLength } = this.#socket;
    // A socket that is being destroyed says nothing of what it holds; the kernel lets go of it in a later turn.
    if (destroyed && !this.#isClosed) return;
    const isSending = !destroyed && writableLength > UNCOUNTED_BYTES;
    const bytes = destroyed
      ? 0
      : this.#asideBytes + this.#countQueued() + (isSending ? this.#countSocket() : 0);
    this.#measureLag(isSending);
    if (bytes !== this.held || (bytes > 0 && owner !== this.owner)) this.#all.note(this, owner, bytes);
  }

  /** Counts an answer that node holds back until those before it are sent. */
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

  /** Counts bytes that are not with the socket yet: to be compressed, or behind a stream. @returns what ends that */
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

  /** Until `endStream` the lag of all that is sent adds up, as for one long answer. */
  beginStream(): void {
    this.#streams++;
  }

  endStream(): void {
    this.#streams--;
    this.update();
  }

  /** Whether its client is behind the least rate by more than `graceMs`. */
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
    // TLS holds what it has encrypted beside what it was given.
    const encrypted = socket instanceof TLSSocket ? (handleOf(socket)?.writeQueueSize ?? 0) : 0;
    return socket.writableLength + encrypted;
  }

  #countQueued(): number {
    let bytes = 0;
    for (const response of this.#queued) bytes += response.writableLength;
    return bytes;
  }

  /** Only what waits in the socket waits for the client. */
  #measureLag(isSending: boolean): void {
    if (!isSending && !this.#isSending) return;
    const now = performance.now();
    const taken = readTaken(this.#socket);
    if (this.#isSending) {
      // Where this process did not run, its clients could not read.
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

/** Bytes that the kernel has taken so far. */
function readTaken(socket: Duplex): number {
  const handle = handleOf(socket);
  return handle === undefined ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

function handleOf(socket: Duplex): Handle | undefined {
  return socket instanceof Socket
    ? ((socket as unknown as { readonly _handle: Handle | null })._handle ?? undefined)
    : undefined;
}
