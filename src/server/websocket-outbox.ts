import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import {
  isComplete,
  JsonBytes,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../primitives/json-result.ts';
import { encodeFrameHead, NotificationFrames } from './notification-frames.ts';
import type { Outflow } from './outflow.ts';
import { encodeLarge, measure } from './response-writer.ts';

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
  readonly #outflow: Outflow;
  readonly #owner: string;
  readonly #waiting: Waiting[] = [];
  /** Notifications of this turn of the event loop. */
  readonly #frames = new NotificationFrames();
  #waitingBytes = 0;
  #isStreaming = false;

  constructor({ ws, socket, outflow, owner, onBroken, onNotified }: WebSocketOutboxParts) {
    this.#ws = ws;
    this.#socket = socket;
    this.#outflow = outflow;
    this.#owner = owner;
    this.#onBroken = onBroken;
    this.#onNotified = onNotified;
  }

  /** Whether a stream is being sent or broke off. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** Bytes that are here and not yet with the peer's kernel; of streams only the fragment under way. */
  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes + this.#frames.bytes;
  }

  /** Sends a body as one text message after those before it; `onSent` is called when it is out. */
  send(body: JsonResult, onSent: () => void): void {
    this.#sendFrames();
    if (!this.#isStreaming) {
      this.#begin(body, onSent);
      return;
    }
    // What streams are made from is counted by the gateway.
    if (!isComplete(body)) this.#wait(body.heldBytes ?? 0, 0, () => this.#begin(body, onSent));
    else this.#wait(measure(body), measure(body), () => this.#begin(body, onSent));
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

  /** Past the library, which takes a message in one part. */
  #writeBytes({ head, value, tail, length }: JsonBytes, onSent: () => void): void {
    if (this.#ws.readyState !== this.#ws.OPEN) {
      onSent();
      return;
    }
    const socket = this.#socket;
    socket.cork();
    for (const part of [encodeFrameHead(length), head, value.bytes]) socket.write(part);
    socket.write(tail, () => {
      this.#outflow.update();
      onSent();
    });
    socket.uncork();
    this.#outflow.update(this.#owner);
  }

  #wait(bytes: number, countedBytes: number, begin: () => void): void {
    this.#waitingBytes += bytes;
    this.#waiting.push({ begin, bytes, release: this.#outflow.setAside(countedBytes, this.#owner) });
  }

  #begin(body: JsonResult, onSent: () => void): void {
    if (typeof body === 'string') {
      // A text would be held by the socket beside its bytes until it is read.
      this.#ws.send(encodeLarge(body), { binary: false }, () => {
        this.#outflow.update();
        onSent();
      });
      this.#outflow.update(this.#owner);
      return;
    }
    if (body instanceof JsonBytes) {
      this.#writeBytes(body, onSent);
      return;
    }
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
