import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limitOf } from '../util/bounds.ts';
import { CHUNK_OVERHEAD_BYTES } from './gathered-bytes.ts';
import type { TransportShares } from './transport-shares.ts';

/** Of a control frame that a client sends: opcode, length and mask. */
const CONTROL_HEAD_BYTES = 6;
export const MAX_FRAGMENTS: number = limitOf('webSocket.fragments');
/** Of a fragment that a client sends: opcode, length, mask and a byte. Empty ones are not kept. */
const MIN_FRAGMENT_BYTES = 7;
/** What a fragment costs in memory beside its bytes, about. */
const FRAGMENT_OVERHEAD_BYTES = 128;

export type WebSocketArrivalParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly shares: TransportShares;
  readonly owner: string;
  /** From the first byte of a message to its last, milliseconds. */
  readonly limitMs: number;
  /** Called when there is no memory left for what arrives. */
  readonly onOverflow: () => void;
};

/**
 * What has arrived of a message that is not whole. A client may send one in fragments, answer pings between them, and never
 * come to an end: neither a time limit for silence nor the bound of a single message holds that back. Counted are the bytes
 * since the last whole message, but for the chunk that it ended in, with what the library may keep beside them.
 */
export class WebSocketArrival {
  readonly #parts: WebSocketArrivalParts;
  #bytes = 0;
  /** What is counted for them. */
  #cost = 0;
  #since = 0;
  /** In the chunk that is being read. */
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
    // Behind the library's own listener: it has read the chunk.
    socket.on('data', (chunk: Buffer) => this.#count(chunk.length));
    socket.once('close', () => this.#clear());
  }

  /** Whether a message has been arriving for too long. While the connection is not read that is not its client's fault. */
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

/** Of the most fragments that so many bytes can be. */
function overheadOf(bytes: number): number {
  return FRAGMENT_OVERHEAD_BYTES * Math.min(MAX_FRAGMENTS, Math.floor(bytes / MIN_FRAGMENT_BYTES));
}
