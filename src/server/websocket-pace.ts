import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limitOf } from '../util/bounds.ts';
import { TURNS } from '../util/turn-queue.ts';

/** Pings and pongs that a client may send in a second. At 60 unsent pongs the library ends the connection without a close frame. */
export const CONTROL_FRAMES_PER_SECOND: number = limitOf('webSocket.controlFrames');
/** What reading on costs, about, milliseconds: the library parses a chunk at once. */
const CHUNK_MS = 0.5;
/** Behind a chunk of a long message the socket waits for a turn: where there is always time, node reads 2 MB of it before it looks at the next. */
const LONG_CHUNK_BYTES = 32 * 1024;

export type WebSocketPaceParts = {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly owner: string;
  /** Called when `isHeld` changes. */
  readonly onChange: () => void;
  /** Called when a client sends too many control frames. */
  readonly onFlood: () => void;
};

/**
 * How much a WebSocket may make the event loop do: what its chunks cost is time of its owner's turns, and where that is
 * used up it is not read until its owner has another.
 */
export class WebSocketPace {
  /** Whether it is not to be read now. */
  isHeld = false;
  #startedAt = 0;
  #secondBegan = 0;
  #controlFrames = 0;

  constructor({ ws, socket, owner, onChange, onFlood }: WebSocketPaceParts) {
    const takeTurn = (): void => {
      this.isHeld = false;
      TURNS.spend(CHUNK_MS);
      onChange();
    };
    // Around the library's own listener, which parses the chunk.
    socket.prependListener('data', () => {
      this.#startedAt = performance.now();
    });
    socket.on('data', (chunk: Buffer) => {
      TURNS.spend(performance.now() - this.#startedAt);
      if (this.isHeld || (chunk.length < LONG_CHUNK_BYTES && TURNS.hasTime(owner))) return;
      this.isHeld = true;
      onChange();
      TURNS.enter(owner, takeTurn);
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
