import type { Socket } from 'node:net';
import { TURNS } from '../util/turn-queue.ts';
import type { Connection } from './connection.ts';
import type { TransportShares } from './transport-shares.ts';

/** A socket of node's HTTP server; where `_paused` its parser takes nothing. */
type NodeSocket = Socket & { readonly _paused?: boolean };

/** Without the end of a head in it, a slice is no longer than this, bytes. */
const HEAD_SLICE_BYTES = 4 * 1024;
/** Of a body of known length, a slice is no longer than this, bytes. */
const BODY_SLICE_BYTES = 64 * 1024;
/** An empty line behind another line may be cut behind this many of its bytes. */
const CUT_EMPTY_LINE_BYTES = 2;
/** Estimated cost of reading a slice of a long body, with the collection of its memory, milliseconds. */
const READ_MS = 0.1;
/** What a request costs behind its parsing, about, milliseconds. */
const REQUEST_MS = 0.15;

export type PacedReadingParts = {
  readonly socket: Socket;
  readonly connection: Connection;
  /** Owner of the turns and the memory until a request of the connection is known. */
  readonly owner: string;
  readonly shares: TransportShares;
  /** Requests that may be unanswered: at this bound the socket is not read. */
  readonly pipelinedRequests: number;
};

/**
 * What node's HTTP server reads of a connection, in slices that take turns by owner: its parser begins all requests of
 * a chunk before anything else runs, thousands of them where they are short. A slice ends behind a head or a body, so that it
 * begins one request at most.
 */
export class PacedReading {
  readonly #socket: NodeSocket;
  readonly #connection: Connection;
  readonly #owner: string;
  readonly #shares: TransportShares;
  readonly #maxUnanswered: number;
  /** node's own listener. */
  readonly #parse: (chunk: Buffer) => void;
  /** Read, and not with the parser. */
  #held: Buffer | undefined;
  /** Under which owner that counts as arriving, and how many bytes: what was read together stays in memory together. */
  #heldOwner = '';
  #heldBytes = 0;
  /** Of a body of known length: what the parser has not been given. */
  #bodyLeft = 0;
  #isQueued = false;
  #isOver = false;

  /** @param parts with the socket as node's server has just taken it */
  constructor({ socket, connection, owner, shares, pipelinedRequests }: PacedReadingParts) {
    this.#socket = socket;
    this.#connection = connection;
    this.#owner = owner;
    this.#shares = shares;
    this.#maxUnanswered = pipelinedRequests;
    this.#parse = socket.listeners('data')[0] as (chunk: Buffer) => void;
    socket.removeListener('data', this.#parse);
    // With a listener of ours node's server reads by events, not past them.
    socket.on('data', this.#onData);
    socket.on('resume', this.#onResume);
    socket.on('close', this.#onClose);
  }

  /** Leaves the socket to others. @returns what was read and is not parsed */
  stop(): Buffer {
    const held = this.#held ?? Buffer.alloc(0);
    this.#onClose();
    this.#socket.removeListener('data', this.#onData);
    this.#socket.removeListener('resume', this.#onResume);
    this.#socket.removeListener('close', this.#onClose);
    return held;
  }

  /** A request of the connection has been answered. */
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

  /** Whether the parser takes more, and a further request may be begun or the last one has not come whole. */
  #isReady(): boolean {
    const { unanswered, isReceiving } = this.#connection;
    return this.#socket._paused !== true && (unanswered < this.#maxUnanswered || isReceiving);
  }

  /** A long body has a slice of each turn at most: where there is always time, node reads 2 MB of a socket before it looks at the next. */
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

  /** Reads on, or waits: for a turn, or for an answer. */
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

  /** What is held has been read: it counts whether there is room or not. */
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

/** Where a slice ends that is to have one head at most: behind the first empty line. */
function findHeadEnd(held: Buffer): number {
  const part = held.length > HEAD_SLICE_BYTES ? held.subarray(0, HEAD_SLICE_BYTES) : held;
  const byCrLf = part.indexOf('\n\r\n');
  const strict = byCrLf < 0 ? part.length : byCrLf + 3;
  // The parser accepts lines without CR.
  const byLf = part.subarray(0, strict).indexOf('\n\n');
  if (byLf >= 0) return byLf + 2;
  return byCrLf >= 0 || part.length === held.length ? strict : part.length - CUT_EMPTY_LINE_BYTES;
}
