import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limitOf } from '../util/bounds.ts';
import { CHUNK_OVERHEAD_BYTES } from './gathered-bytes.ts';
import type { TransportShares } from './transport-shares.ts';

/** Size of the head of a client's control frame, bytes: opcode, length and mask. */
const CONTROL_HEAD_BYTES = 6;
export const MAX_FRAGMENTS: number = limitOf('webSocket.fragments');
/** Minimum size of a client's fragment that uses memory, bytes: opcode, length, mask and one payload byte. */
const MIN_FRAGMENT_BYTES = 7;
/** Approximate memory of a fragment in addition to its payload, bytes. */
const FRAGMENT_OVERHEAD_BYTES = 128;

export type WebSocketArrivalParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly shares: TransportShares;
  readonly owner: string;
  /** Maximum time from the first byte of a message to its last byte, ms. */
  readonly limitMs: number;
  /** Called if there is no memory left for arriving bytes. */
  readonly onOverflow: () => void;
};

/**
 * Counts the memory and time of an incomplete message of a WebSocket. Without a time limit, a client could send fragments, answer pings between them
 * and never finish the message, without exceeding the idle timeout or the size bound. Counts the bytes received after the last complete message, and
 * the memory that ws uses for these bytes. The chunk in which the last complete message ended does not count.
 */
export class WebSocketArrival {
  readonly #parts: WebSocketArrivalParts;
  #bytes = 0;
  /** Reserved memory, bytes. */
  #cost = 0;
  #since = 0;
  /** Whether the current chunk contains the end of a message. */
  #hasMessage = false;
  #controlBytes = 0;

  constructor(parts: WebSocketArrivalParts) {
    this.#parts = parts;
    const { ws, socket } = parts;
    const onControl = (payload: Buffer): void => {
      this.#controlBytes += payload.length + CONTROL_HEAD_BYTES;
    };
    ws.on('message', () => {
      this.#hasMessage = true;
    });
    ws.on('ping', onControl);
    ws.on('pong', onControl);
    // The `data` listener of ws runs first, so the chunk has been parsed when this listener counts it.
    socket.on('data', (chunk: Buffer) => this.#count(chunk.length));
    socket.once('close', () => this.#clear());
  }

  /** Whether a message takes longer than `limitMs` to arrive. The time starts again when reading has been paused. */
  isLate(now: number): boolean {
    if (this.#parts.ws.isPaused) this.#since = now;
    return this.#bytes > 0 && now - this.#since > this.#parts.limitMs;
  }

  #count(chunkBytes: number): void {
    const bytes = Math.max(0, chunkBytes - this.#controlBytes);
    this.#controlBytes = 0;
    if (this.#hasMessage) {
      this.#hasMessage = false;
      this.#clear();
      return;
    }
    if (bytes === 0) return;
    if (this.#bytes === 0) this.#since = performance.now();
    const cost = CHUNK_OVERHEAD_BYTES + bytes + overheadOf(this.#bytes + bytes) - overheadOf(this.#bytes);
    if (this.#parts.shares.takeArriving(this.#parts.owner, cost)) {
      this.#bytes += bytes;
      this.#cost += cost;
    } else {
      this.#parts.onOverflow();
    }
  }

  #clear(): void {
    this.#parts.shares.arriving.giveBack(this.#parts.owner, this.#cost);
    this.#bytes = 0;
    this.#cost = 0;
  }
}

/** Returns the memory that ws uses if `bytes` bytes consist of as many fragments as possible, bytes. */
function overheadOf(bytes: number): number {
  return FRAGMENT_OVERHEAD_BYTES * Math.min(MAX_FRAGMENTS, Math.floor(bytes / MIN_FRAGMENT_BYTES));
}
