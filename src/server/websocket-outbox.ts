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

/**
 * Minimum size of a fragment except the last, bytes. Smaller pieces are merged, because clients limit the number of fragments of a message, some to
 * 16,384.
 */
const MIN_FRAGMENT_BYTES = 64 * 1024;

/** Notification bytes above which buffered notifications are written immediately. */
const MAX_GATHERED_BYTES = 256 * 1024;

type Waiting = {
  /** Begins to send the message. */
  readonly begin: () => void;
  readonly bytes: number;
  /** Stops counting the message in the send backlog. */
  readonly release: () => void;
};

export type WebSocketOutboxParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly sendBacklog: SendBacklog;
  /** Owner of the messages in `sendBacklog`. */
  readonly owner: string;
  /** Called if a stream fails before its end. */
  readonly onBroken: () => void;
  /** Called when notifications have been written, and again when the kernel has accepted them. */
  readonly onNotified: () => void;
  /** Called when the kernel has accepted an answer. */
  readonly onWritten: () => void;
};

/**
 * Outgoing answers and notifications of one WebSocket. Fragments of different messages must not be interleaved (RFC 6455 5.4), so all other messages
 * wait behind a stream that is being sent. All notifications of one tick of the event loop are sent in one write. If a stream fails, `onBroken` is
 * called, and nothing more is sent, so that the partly sent message stays incomplete.
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
  /** Buffered notifications of this tick. */
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
    // One callback is used for all answers, so that the socket can batch consecutive calls of it.
    this.#onWritten = () => {
      this.#sendBacklog.update();
      onWritten();
    };
  }

  /** Whether a stream is being sent, or has failed. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /**
   * Number of buffered bytes, in this class and in the socket. A stream that is being sent counts with its current fragment. A stream that waits
   * counts with the memory of its source.
   */
  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes + this.#frames.bytes;
  }

  /**
   * Sends an answer of `length` bytes as one text message, after earlier messages.
   * @param onSent called when the kernel has accepted the answer, or when the answer will not be sent; not called if `clear` drops it
   */
  sendWhole(body: JsonText | JsonBytes, length: number, onSent?: (isSent: boolean) => void): void {
    this.#sendFrames();
    if (this.#isStreaming) this.#wait(length, length, () => this.#writeWhole(body, length, onSent));
    else this.#writeWhole(body, length, onSent);
  }

  /** Sends a stream after earlier answers; `onSent` is called when the stream is sent completely. */
  sendStream(body: JsonStream, onSent: () => void): void {
    this.#sendFrames();
    // A stream that waits counts 0 bytes in the send backlog, because the gateway already counts the memory of its source.
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
   * Adds bytes to the send backlog that will be sent, but are not in the outbox yet.
   * @returns a function that removes these bytes from the send backlog
   */
  setAside(bytes: number): () => void {
    return this.#sendBacklog.setAside(bytes, this.#owner);
  }

  /** Drops all messages that have not begun to be sent. */
  clear(): void {
    for (const { release } of this.#waiting) release();
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#frames.clear();
  }

  /** Writes the buffered notifications to the socket, or queues them behind a stream. */
  readonly #sendFrames = (): void => {
    if (this.#frames.bytes === 0) return;
    const frames = this.#frames.take();
    if (this.#isStreaming) this.#wait(frames.length, frames.length, () => this.#write(frames));
    else this.#write(frames);
    this.#onNotified();
  };

  /**
   * Writes notifications without ws, which would write each frame separately. Compression is off, so ws buffers no frames, and frames that are
   * written directly stay in order.
   */
  #write(frames: Buffer): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#socket.write(frames, () => {
      this.#sendBacklog.update();
      this.#onNotified();
    });
    this.#sendBacklog.update(this.#owner);
  }

  /** Writes a message directly to the socket: ws would accept only one part, and would write the frame head separately. */
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
      // Nearly all answers are ASCII, which has the same bytes in latin1 and UTF-8, and latin1 is written faster. A long text is encoded to bytes, so
      // that the socket does not reference the text too.
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

  /** Sends one message in fragments, each after the previous one has been sent. Rejects if the stream or the socket fails. */
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
