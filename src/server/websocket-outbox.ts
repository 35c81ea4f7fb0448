import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { JsonBytes, JsonStream, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import {
  encodeAsciiFrame,
  encodeFrameHead,
  encodeTextFrame,
  NotificationFrames,
} from './notification-frames.ts';
import type { SendBacklog } from './send-backlog.ts';

/** Smaller pieces are merged: clients limit the fragments of a message, some to 16,384. */
const MIN_FRAGMENT_BYTES = 64 * 1024;

/** Notification bytes that are written before the current turn of the event loop ends. */
const MAX_GATHERED_BYTES = 256 * 1024;

type Waiting = {
  /** Sends the entry. */
  readonly begin: () => void;
  readonly bytes: number;
  /** Stops counting the entry in the send backlog. */
  readonly release: () => void;
};

export type WebSocketOutboxParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly sendBacklog: SendBacklog;
  /** Owner of its answers in `sendBacklog`. */
  readonly owner: string;
  /** Called when a stream breaks off. */
  readonly onBroken: () => void;
  /** Called when notifications have been written, and again when the kernel has them. */
  readonly onNotified: () => void;
  /** Called when the kernel has an answer. */
  readonly onWritten: () => void;
};

/**
 * Outgoing answers and notifications of one WebSocket. Fragments of different messages must not mix (RFC 6455 5.4),
 * so everything else waits behind a stream that is being sent. Notifications of one turn of the event loop are one
 * write. A stream that breaks off ends the outbox: `onBroken` is called, and nothing more is sent, so that the
 * partly sent message stays incomplete.
 */
export class WebSocketOutbox {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #onBroken: () => void;
  readonly #onNotified: () => void;
  readonly #onWritten: () => void;
  readonly #sendBacklog: SendBacklog;
  readonly #owner: string;
  readonly #waiting: Waiting[] = [];
  /** Notifications of this turn of the event loop. */
  readonly #frames = new NotificationFrames();
  #waitingBytes = 0;
  #isStreaming = false;

  constructor({ ws, socket, sendBacklog, owner, onBroken, onNotified, onWritten }: WebSocketOutboxParts) {
    this.#ws = ws;
    this.#socket = socket;
    this.#sendBacklog = sendBacklog;
    this.#owner = owner;
    this.#onBroken = onBroken;
    this.#onNotified = onNotified;
    // One callback for all answers: the socket then batches consecutive calls.
    this.#onWritten = () => {
      this.#sendBacklog.update();
      onWritten();
    };
  }

  /** Whether a stream is being sent or broke off. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** Bytes not yet with the kernel; for streams only the current fragment. */
  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes + this.#frames.bytes;
  }

  /**
   * Sends an answer of `length` bytes as one text message after earlier ones.
   * @param onSent called when the kernel has taken it, or when it will not be sent; never where `clear` drops it
   */
  sendWhole(body: JsonText | JsonBytes, length: number, onSent?: (isSent: boolean) => void): void {
    this.#sendFrames();
    if (this.#isStreaming) this.#wait(length, length, () => this.#writeWhole(body, length, onSent));
    else this.#writeWhole(body, length, onSent);
  }

  /** Sends a stream after earlier answers; `onSent` is called when it is sent completely. */
  sendStream(body: JsonStream, onSent: () => void): void {
    this.#sendFrames();
    // The gateway counts the source memory of streams.
    if (this.#isStreaming) this.#wait(body.reservedBytes ?? 0, 0, () => this.#beginStream(body, onSent));
    else this.#beginStream(body, onSent);
  }

  /** Sends a notification after earlier answers and notifications. */
  notify(head: Buffer, result: JsonText): void {
    if (this.#frames.bytes === 0) process.nextTick(this.#sendFrames);
    this.#frames.add(head, result);
    if (this.#frames.bytes > MAX_GATHERED_BYTES) this.#sendFrames();
  }

  /**
   * Counts bytes to be sent that are not in the outbox yet.
   * @returns a function that stops counting them
   */
  setAside(bytes: number): () => void {
    return this.#sendBacklog.setAside(bytes, this.#owner);
  }

  /** Drops everything not yet begun. */
  clear(): void {
    for (const { release } of this.#waiting) release();
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#frames.clear();
  }

  /** Writes the gathered notifications to the socket, or queues them behind a stream. */
  readonly #sendFrames = (): void => {
    if (this.#frames.bytes === 0) return;
    const frames = this.#frames.take();
    if (this.#isStreaming) this.#wait(frames.length, frames.length, () => this.#write(frames));
    else this.#write(frames);
    this.#onNotified();
  };

  /** Bypasses the library, which writes each frame separately: without compression it buffers none. */
  #write(frames: Buffer): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#socket.write(frames, () => {
      this.#sendBacklog.update();
      this.#onNotified();
    });
    this.#sendBacklog.update(this.#owner);
  }

  /** Bypasses the library, which takes a message in one part, and writes the frame head separately. */
  #writeWhole(body: JsonText | JsonBytes, length: number, onSent?: (isSent: boolean) => void): void {
    const socket = this.#socket;
    if (this.#ws.readyState !== this.#ws.OPEN) {
      process.nextTick(this.#onWritten);
      onSent?.(false);
      return;
    }
    const onWritten =
      onSent === undefined
        ? this.#onWritten
        : (error?: Error | null): void => {
            this.#onWritten();
            onSent(error == null);
          };
    if (typeof body !== 'string') {
      socket.cork();
      for (const part of [encodeFrameHead(length), body.head, body.value.bytes]) socket.write(part);
      socket.write(body.tail, onWritten);
      socket.uncork();
    } else {
      // ASCII, nearly all answers, has equal bytes in both encodings, and latin1 is written faster. A long text
      // would be retained beside its bytes.
      const frame = length === body.length ? encodeAsciiFrame(body) : undefined;
      if (frame !== undefined) socket.write(frame, 'latin1', onWritten);
      else socket.write(encodeTextFrame(body, length), onWritten);
    }
    this.#sendBacklog.update(this.#owner);
  }

  #wait(bytes: number, countedBytes: number, begin: () => void): void {
    this.#waitingBytes += bytes;
    this.#waiting.push({ begin, bytes, release: this.#sendBacklog.setAside(countedBytes, this.#owner) });
  }

  #beginStream(body: JsonStream, onSent: () => void): void {
    this.#isStreaming = true;
    this.#sendBacklog.beginStream();
    this.#sendFragments(body)
      .finally(() => this.#sendBacklog.endStream())
      .then(
        () => {
          this.#isStreaming = false;
          this.#sendWaiting();
          onSent();
        },
        () => this.#onBroken(),
      );
  }

  #sendWaiting(): void {
    while (!this.#isStreaming) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.bytes;
      next.release();
      next.begin();
    }
  }

  /**
   * Sends one message in fragments, each after the previous one has been sent. Rejects when the stream or the
   * socket fails.
   */
  async #sendFragments(stream: JsonStream): Promise<void> {
    let reserved: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const piece of stream.pieces) {
        reserved.push(piece);
        bytes += piece.length;
        if (bytes < MIN_FRAGMENT_BYTES) continue;
        await this.#sendFragment(Buffer.concat(reserved, bytes), false);
        reserved = [];
        bytes = 0;
      }
      await this.#sendFragment(Buffer.concat(reserved, bytes), true);
    } finally {
      stream.cancel();
    }
  }

  #sendFragment(fragment: Uint8Array, fin: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ws.send(fragment, { binary: false, fin }, (error) => {
        this.#sendBacklog.update();
        if (error == null) resolve();
        else reject(error);
      });
      this.#sendBacklog.update(this.#owner);
    });
  }
}
