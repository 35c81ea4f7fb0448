import type { WebSocket } from 'ws';
import type { JsonResult, JsonStream } from '../primitives/json-result.ts';
import type { Outflow } from './outflow.ts';
import { encodeLarge } from './response-writer.ts';

/** Small pieces are put together: clients bound the fragments of a message, some at 16,384. */
const MIN_FRAGMENT_BYTES = 64 * 1024;

type Waiting = {
  readonly body: JsonResult;
  readonly bytes: number;
  readonly onSent: () => void;
  /** Ends counting it among what is unsent. */
  readonly release: () => void;
};

/**
 * The answers of one WebSocket on their way out. Fragments of different messages must not mix (RFC 6455 5.4), so
 * everything else waits behind a stream that is being sent. A stream that breaks off ends it all: `onBroken` is told,
 * and nothing more is sent, so that the part of a message which is out stays a part.
 */
export class WebSocketOutbox {
  readonly #ws: WebSocket;
  readonly #onBroken: () => void;
  readonly #outflow: Outflow;
  readonly #owner: string;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isStreaming = false;

  /** @param owner the caller that its answers are counted under, in `outflow` */
  constructor(ws: WebSocket, outflow: Outflow, owner: string, onBroken: () => void) {
    this.#ws = ws;
    this.#outflow = outflow;
    this.#owner = owner;
    this.#onBroken = onBroken;
  }

  /** Whether a stream is being sent or broke off. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** Bytes that are here and not yet with the peer's kernel; of streams only the fragment under way. */
  get bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes;
  }

  /** Sends a body as one text message after those before it; `onSent` is told when it is out. */
  send(body: JsonResult, onSent: () => void): void {
    if (!this.#isStreaming) {
      this.#begin(body, onSent);
      return;
    }
    const isText = typeof body === 'string';
    const bytes = isText ? Buffer.byteLength(body) : (body.heldBytes ?? 0);
    this.#waitingBytes += bytes;
    // What streams are made from is counted by the gateway.
    const release = this.#outflow.setAside(isText ? bytes : 0, this.#owner);
    this.#waiting.push({ body, bytes, onSent, release });
  }

  /** Drops what has not begun to be sent. */
  clear(): void {
    for (const { release } of this.#waiting) release();
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
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
      this.#begin(next.body, next.onSent);
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
