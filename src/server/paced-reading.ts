import type { Socket } from 'node:net';
import { TURNS } from '../util/turn-queue.ts';
import type { Connection } from './connection.ts';
import type { TransportShares } from './transport-shares.ts';

/** A socket of node's HTTP server; while `_paused`, its parser takes no input. */
type NodeSocket = Socket & { readonly _paused?: boolean };

/** Maximum slice length without the end of a head in it, bytes. */
const HEAD_SLICE_BYTES = 4 * 1024;
/** Maximum slice length of a body of known length, bytes. */
const BODY_SLICE_BYTES = 64 * 1024;
/** Bytes left for the next slice when a slice is cut without a head end, which may span the cut. */
const CUT_EMPTY_LINE_BYTES = 2;
/** Estimated cost of reading a slice of a long body, including garbage collection, ms. */
const READ_MS = 0.1;
/** Estimated cost of a request after parsing, ms. */
const REQUEST_MS = 0.15;

export type PacedReadingParts = {
  readonly socket: Socket;
  readonly connection: Connection;
  /** Owner of the scheduler slots and the memory until a request of the connection is known. */
  readonly owner: string;
  readonly shares: TransportShares;
  /** Unanswered requests at which the socket is no longer read. */
  readonly pipelinedRequests: number;
};

/**
 * Paces what node's HTTP server reads of a connection: slices are scheduled by owner, since its parser begins all
 * requests of a chunk before anything else runs, thousands of them where they are short. A slice ends after a head
 * or a body, so it begins one request at most.
 */
export class PacedReading {
  readonly #socket: NodeSocket;
  readonly #connection: Connection;
  readonly #owner: string;
  readonly #shares: TransportShares;
  readonly #maxUnanswered: number;
  /** node's own `data` listener. */
  readonly #parse: (chunk: Buffer) => void;
  /** Bytes read but not parsed. */
  #held: Buffer | undefined;
  /** Owner and bytes of the arriving-memory reservation: bytes read together stay in memory together. */
  #heldOwner = '';
  #heldBytes = 0;
  /** Bytes of a body of known length not yet passed to the parser. */
  #bodyLeft = 0;
  #isQueued = false;
  #isOver = false;

  /** @param parts `socket` as node's server has just taken it */
  constructor({ socket, connection, owner, shares, pipelinedRequests }: PacedReadingParts) {
    this.#socket = socket;
    this.#connection = connection;
    this.#owner = owner;
    this.#shares = shares;
    this.#maxUnanswered = pipelinedRequests;
    this.#parse = socket.listeners('data')[0] as (chunk: Buffer) => void;
    socket.removeListener('data', this.#parse);
    // A custom `data` listener makes node's server read by events instead of its direct handle.
    socket.on('data', this.#onData);
    socket.on('resume', this.#onResume);
    socket.on('close', this.#onClose);
  }

  /**
   * Releases the socket.
   * @returns the bytes read but not parsed
   */
  stop(): Buffer {
    const held = this.#held ?? Buffer.alloc(0);
    this.#onClose();
    this.#socket.removeListener('data', this.#onData);
    this.#socket.removeListener('resume', this.#onResume);
    this.#socket.removeListener('close', this.#onClose);
    return held;
  }

  /** Called when a request of the connection has been answered. */
  onAnswered(): void {
    if (this.#held !== undefined) this.#enqueue();
    else if (this.#socket.isPaused() && !this.#connection.isBroken && this.#isReady()) this.#socket.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#connection.isBroken) return;
    this.#held = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held !== undefined && this.#isReady() && this.#hasTime()) {
      const startedAt = performance.now();
      this.#parseSlice(this.#held);
      TURNS.spend(performance.now() - startedAt);
    }
    this.#settle();
  };

  /** node's server resumes the socket when its parser takes more. */
  readonly #onResume = (): void => {
    if (this.#held !== undefined || !this.#isReady()) this.#settle();
  };

  readonly #onClose = (): void => {
    this.#isOver = true;
    this.#held = undefined;
    this.#countHeld();
  };

  /** Whether the parser takes more, and either another request may begin or the last one is incomplete. */
  #isReady(): boolean {
    const { unanswered, isReceiving } = this.#connection;
    return this.#socket._paused !== true && (unanswered < this.#maxUnanswered || isReceiving);
  }

  /**
   * Limits a long body to one slice per scheduler slot: otherwise node reads 2 MB of a socket before it polls the
   * next.
   */
  #hasTime(): boolean {
    return this.#bodyLeft <= BODY_SLICE_BYTES && TURNS.hasTime(this.#nameOwner());
  }

  #nameOwner(): string {
    return this.#connection.owner ?? this.#owner;
  }

  #enqueue(): void {
    if (this.#isQueued || !this.#isReady()) return;
    this.#isQueued = true;
    TURNS.enter(this.#nameOwner(), this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    this.#isQueued = false;
    const held = this.#held;
    if (held === undefined || this.#isOver || this.#socket.destroyed || !this.#isReady()) return;
    if (this.#bodyLeft > BODY_SLICE_BYTES) TURNS.spend(READ_MS);
    this.#parseSlice(held);
    this.#settle();
  };

  #parseSlice(held: Buffer): void {
    const connection = this.#connection;
    const end = this.#bodyLeft > 0 ? Math.min(this.#bodyLeft, BODY_SLICE_BYTES) : findHeadEnd(held);
    const slice = held.subarray(0, end);
    this.#held = held.length > end ? held.subarray(end) : undefined;
    this.#bodyLeft = Math.max(0, this.#bodyLeft - slice.length);
    const { begun } = connection;
    this.#parse(slice);
    if (connection.isBroken || this.#isOver) {
      this.#held = undefined;
    } else if (connection.begun > begun) {
      TURNS.spend((connection.begun - begun) * REQUEST_MS);
      // The slice ended with the head.
      if (connection.isReceiving)
        this.#bodyLeft = Number(connection.newest?.request.headers['content-length'] ?? 0);
    }
  }

  /** Reads on, or waits for a scheduler slot or an answer. */
  #settle(): void {
    const socket = this.#socket;
    if (this.#isOver) return;
    this.#countHeld();
    if (socket.destroyed || this.#connection.isBroken) return;
    const isReady = this.#isReady();
    if (this.#held === undefined && isReady) {
      if (socket.isPaused()) socket.resume();
    } else {
      socket.pause();
      if (this.#held !== undefined) this.#enqueue();
    }
  }

  /** Buffered bytes are already read: they count whether there is room or not. */
  #countHeld(): void {
    const bytes = this.#held === undefined ? 0 : Math.max(this.#heldBytes, this.#held.length);
    if (bytes === this.#heldBytes) return;
    const { arriving } = this.#shares;
    arriving.giveBack(this.#heldOwner, this.#heldBytes);
    this.#heldOwner = this.#nameOwner();
    this.#heldBytes = bytes;
    arriving.take(this.#heldOwner, bytes);
  }
}

/** Returns the end of a slice with at most one head: after the first empty line. */
function findHeadEnd(held: Buffer): number {
  const part = held.length > HEAD_SLICE_BYTES ? held.subarray(0, HEAD_SLICE_BYTES) : held;
  const byCrLf = part.indexOf('\n\r\n');
  const strict = byCrLf < 0 ? part.length : byCrLf + 3;
  // The parser accepts lines without CR.
  const byLf = part.subarray(0, strict).indexOf('\n\n');
  if (byLf >= 0) return byLf + 2;
  return byCrLf >= 0 || part.length === held.length ? strict : part.length - CUT_EMPTY_LINE_BYTES;
}
