import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limitOf } from '../util/bounds.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';

/**
 * Maximum number of pings and pongs per client and second. The limit must be below 60, because ws ends the connection without a close frame when 60
 * pongs are queued.
 */
export const CONTROL_FRAMES_PER_SECOND: number = limitOf('webSocket.controlFrames');
/** Estimated time to read the next chunk, ms; ws parses a chunk synchronously. */
const CHUNK_MS = 0.5;
/**
 * After a chunk of at least this size (bytes), the socket waits for a scheduler slot, because Node.js would read up to 2 MB from one socket before it
 * polls the next.
 */
const LONG_CHUNK_BYTES = 32 * 1024;

export type WebSocketShareParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly owner: string;
  /** Called when `isReserved` changes. */
  readonly onChange: () => void;
  /** Called when a client sends too many control frames. */
  readonly onFlood: () => void;
};

/**
 * Limits the processor time of reading a WebSocket. The time in which ws parses a received chunk is charged to the scheduler slots of the
 * connection's owner. When the time is used up, the socket is not read until the owner's next slot.
 */
export class WebSocketShare {
  /** Whether reading is paused until the owner's next scheduler slot. */
  isReserved = false;
  #startedAt = 0;
  #secondBegan = 0;
  #controlFrames = 0;

  constructor({ ws, socket, owner, onChange, onFlood }: WebSocketShareParts) {
    const takeSlot = (): void => {
      this.isReserved = false;
      SCHEDULER.spend(CHUNK_MS);
      onChange();
    };
    // One listener runs before the listener of ws, which parses the chunk, and one after it, so that the parsing time is measured.
    socket.prependListener('data', () => {
      this.#startedAt = performance.now();
    });
    socket.on('data', (chunk: Buffer) => {
      SCHEDULER.spend(performance.now() - this.#startedAt);
      if (this.isReserved || (chunk.length < LONG_CHUNK_BYTES && SCHEDULER.hasTime(owner))) return;
      this.isReserved = true;
      onChange();
      SCHEDULER.enter(owner, takeSlot);
    });
    const onControl = (): void => {
      if (performance.now() - this.#secondBegan >= 1_000) {
        this.#secondBegan = performance.now();
        this.#controlFrames = 0;
      }
      if (++this.#controlFrames === CONTROL_FRAMES_PER_SECOND + 1) onFlood();
    };
    ws.on('ping', onControl);
    ws.on('pong', onControl);
  }
}
