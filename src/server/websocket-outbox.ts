import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { JsonBytes, JsonStream, JsonText } from '../primitives/json-result.ts';
import {
  encodeAsciiFrame,
  encodeFrameHead,
  encodeTextFrame,
  NotificationFrames,
} from './notification-frames.ts';
import type { Outflow } from './outflow.ts';

/** Small pieces are put together: clients bound the fragments of a message, some at 16,384. */
const MIN_FRAGMENT_BYTES = 64 * 1024;

/** Notifications of one turn of the event loop that are written before it is over. */
const MAX_GATHERED_BYTES = 256 * 1024;

type Waiting = {
  /** Sends it. */
  readonly begin: () => void;
  readonly bytes: number;
  /** Ends counting it among what is unsent. */
  readonly release: () => void;
};

export type WebSocketOutboxParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly outflow: Outflow;
  /** The caller that its answers are counted under, in `outflow`. */
  readonly owner: string;
  /** Called where a stream breaks off. */
  readonly onBroken: () => void;
  /** Called when notifications have been handed on, and again when the kernel has them. */
  readonly onNotified: () => void;
  /** Called when the kernel has an answer. */
  readonly onWritten: () => void;
};

/**
 * The answers and notifications of one WebSocket on their way out. Fragments of different messages must not mix (RFC 6455 5.4), so
 * everything else waits behind a stream that is being sent. Notifications of one turn of the event loop are one write. A stream that breaks off ends it all: `onBroken` is called,
 * and nothing more is sent, so that the part of a message which is out stays a part.
 */
export class WebSocketOutbox {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #onBroken: () => void;
  readonly #onNotified: () => void;
  readonly #onWritten: () => void;
  readonly #outflow: Outflow;
  readonly #owner: string;
  readonly #waiting: Waiting[] = [];
  /** Notifications of this turn of the event loop. */
  readonly #frames = new NotificationFrames();
  #waitingBytes = 0;
  #isStreaming = false;

  constructor({ ws, socket, outflow, owner, onBroken, onNotified, onWritten }: WebSocketOutboxParts) {
    this.#ws = ws;
    this.#socket = socket;
    this.#outflow = outflow;
    this.#owner = owner;
    this.#onBroken = onBroken;
    this.#onNotified = onNotified;
    // One for all answers: what the socket calls in a row it then calls together.
    this.#onWritten = () => {
      this.#outflow.update();
      onWritten();
    };
  }

  /** Whether a stream is being sent or broke off. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** Bytes that are here and not yet with the peer's kernel; of streams only the fragment under way. */
  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes + this.#frames.bytes;
  }

  /**
   * Sends an answer of so many bytes as one text message after those before it.
   * @param onSent called when it is with the peer's kernel, or will not be; never where it is dropped by `clear`
   */
  sendWhole(body: JsonText | JsonBytes, length: number, onSent?: (isSent: boolean) => void): void {
    this.#sendFrames();
    if (this.#isStreaming) this.#wait(length, length, () => this.#writeWhole(body, length, onSent));
    else this.#writeWhole(body, length, onSent);
  }

  /** The same for a stream; `onSent` is called when it is out. */
  sendStream(body: JsonStream, onSent: () => void): void {
    this.#sendFrames();
    // What streams are made from is counted by the gateway.
    if (this.#isStreaming) this.#wait(body.heldBytes ?? 0, 0, () => this.#beginStream(body, onSent));
    else this.#beginStream(body, onSent);
  }

  /** Sends a notification after what is before it. */
  notify(head: Buffer, result: JsonText): void {
    if (this.#frames.bytes === 0) process.nextTick(this.#sendFrames);
    this.#frames.add(head, result);
    if (this.#frames.bytes > MAX_GATHERED_BYTES) this.#sendFrames();
  }

  /** Counts bytes that are to be sent and not here yet. @returns what ends that */
  setAside(bytes: number): () => void {
    return this.#outflow.setAside(bytes, this.#owner);
  }

  /** Drops what has not begun to be sent. */
  clear(): void {
    for (const { release } of this.#waiting) release();
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#frames.clear();
  }

  /** Hands the notifications that were gathered to the socket, or lets them wait behind a stream. */
  readonly #sendFrames = (): void => {
    if (this.#frames.bytes === 0) return;
    const frames = this.#frames.take();
    if (this.#isStreaming) this.#wait(frames.length, frames.length, () => this.#write(frames));
    else this.#write(frames);
    this.#onNotified();
  };

  /** Past the library, which writes each frame by itself: without compression it keeps none back. */
  #write(frames: Buffer): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#socket.write(frames, () => {
      this.#outflow.update();
      this.#onNotified();
    });
    this.#outflow.update(this.#owner);
  }

  /** Past the library, which takes a message in one part, and writes what is before it by itself. */
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
      // ASCII, as nearly all are: the same bytes in both, and written faster as Latin-1. A long text would be held beside its bytes.
      const frame = length === body.length ? encodeAsciiFrame(body) : undefined;
      if (frame !== undefined) socket.write(frame, 'latin1', onWritten);
      else socket.write(encodeTextFrame(body, length), onWritten);
    }
    this.#outflow.update(this.#owner);
  }

  #wait(bytes: number, countedBytes: number, begin: () => void): void {
    this.#waitingBytes += bytes;
    this.#waiting.push({ begin, bytes, release: this.#outflow.setAside(countedBytes, this.#owner) });
  }

  #beginStream(body: JsonStream, onSent: () => void): void {
    this.#isStreaming = true;
    this.#outflow.beginStream();
    this.#sendFragments(body)
      .finally(() => this.#outflow.endStream())
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

  /** One message in fragments, each sent when the one before has left. Rejects when the stream or the socket fails. */
  async #sendFragments(stream: JsonStream): Promise<void> {
    let held: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const piece of stream.pieces) {
        held.push(piece);
        bytes += piece.length;
        if (bytes < MIN_FRAGMENT_BYTES) continue;
        await this.#sendFragment(Buffer.concat(held, bytes), false);
        held = [];
        bytes = 0;
      }
      await this.#sendFragment(Buffer.concat(held, bytes), true);
    } finally {
      stream.cancel();
    }
  }

  #sendFragment(fragment: Uint8Array, fin: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ws.send(fragment, { binary: false, fin }, (error) => {
        this.#outflow.update();
        if (error == null) resolve();
        else reject(error);
      });
      this.#outflow.update(this.#owner);
    });
  }
}
