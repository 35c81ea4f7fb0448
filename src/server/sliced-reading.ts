import type { Socket } from 'node:net';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Connection } from './connection.ts';
import type { TransportShares } from './transport-shares.ts';

/** Socket of the Node.js HTTP server. While the internal `_paused` is set, the parser accepts no input. */
type NodeSocket = Socket & { readonly _paused?: boolean };

/** Maximum length of a slice that is not part of a body with known length, bytes. */
const HEAD_SLICE_BYTES = 4 * 1024;
/** Maximum length of a slice of a body with known length, bytes. */
const BODY_SLICE_BYTES = 64 * 1024;
/**
 * Number of bytes that are left for the next slice if a slice contains no empty line. The empty line that ends a head may begin in the last two bytes
 * of a slice.
 */
const CUT_EMPTY_LINE_BYTES = 2;
/** Estimated processor time to read one slice of a long body, with garbage collection, ms. */
const READ_MS = 0.1;
/** Estimated processor time of a request after parsing, ms. */
const REQUEST_MS = 0.15;

export type SlicedReadingParts = {
  readonly socket: Socket;
  readonly connection: Connection;
  /** Owner of scheduler slots and memory until the owner of a request is known: the address. */
  readonly owner: string;
  readonly shares: TransportShares;
  /** Number of unanswered requests at which the socket is no longer read. */
  readonly pipelinedRequests: number;
};

/**
 * Limits how fast the Node.js HTTP server reads a connection. The parser of the server gets the received bytes in slices, which are scheduled by
 * owner. Without slices, the parser would begin all requests of a chunk before anything else runs. A chunk may contain thousands of short requests. A
 * slice ends after a request head or a body, so at most one request begins in a slice.
 */
export class SlicedReading {
  readonly #socket: NodeSocket;
  readonly #connection: Connection;
  readonly #owner: string;
  readonly #shares: TransportShares;
  readonly #maxUnanswered: number;
  /** The `data` listener of the Node.js server. */
  readonly #parse: (chunk: Buffer) => void;
  /** Bytes that are read from the socket but not parsed yet. */
  #reserved: Buffer | undefined;
  /**
   * Owner of the reserved `arriving` memory; `#reservedBytes` is its size. The memory of a received chunk is counted until the whole chunk is parsed.
   */
  #reservedOwner = '';
  #reservedBytes = 0;
  /** Bytes of a body with known length that are not yet passed to the parser. */
  #bodyLeft = 0;
  #isQueued = false;
  #isOver = false;

  /** @param parts the Node.js server must just have accepted `parts.socket` */
  constructor({ socket, connection, owner, shares, pipelinedRequests }: SlicedReadingParts) {
    this.#socket = socket;
    this.#connection = connection;
    this.#owner = owner;
    this.#shares = shares;
    this.#maxUnanswered = pipelinedRequests;
    this.#parse = socket.listeners('data')[0] as (chunk: Buffer) => void;
    socket.removeListener('data', this.#parse);
    // Once a `data` listener is added, the Node.js server reads the socket by events, not directly from its handle.
    socket.on('data', this.#onData);
    socket.on('resume', this.#onResume);
    socket.on('close', this.#onClose);
  }

  /**
   * Stops reading the socket.
   * @returns the bytes that are read but not parsed yet
   */
  stop(): Buffer {
    const reserved = this.#reserved ?? Buffer.alloc(0);
    this.#onClose();
    this.#socket.removeListener('data', this.#onData);
    this.#socket.removeListener('resume', this.#onResume);
    this.#socket.removeListener('close', this.#onClose);
    return reserved;
  }

  /** Called when a request of the connection has been answered. */
  onAnswered(): void {
    if (this.#reserved !== undefined) this.#enqueue();
    else if (this.#socket.isPaused() && !this.#connection.isBroken && this.#isReady()) this.#socket.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#connection.isBroken) return;
    this.#reserved = this.#reserved === undefined ? chunk : Buffer.concat([this.#reserved, chunk]);
    while (this.#reserved !== undefined && this.#isReady() && this.#hasTime()) {
      const startedAt = performance.now();
      this.#parseSlice(this.#reserved);
      SCHEDULER.spend(performance.now() - startedAt);
    }
    this.#complete();
  };

  /** Runs when the Node.js server resumes the socket because its parser accepts more input. */
  readonly #onResume = (): void => {
    if (this.#reserved !== undefined || !this.#isReady()) this.#complete();
  };

  readonly #onClose = (): void => {
    this.#isOver = true;
    this.#reserved = undefined;
    this.#countReserved();
  };

  /** Whether the parser accepts more input, and either another request may begin or the last request is incomplete. */
  #isReady(): boolean {
    const { unanswered, isReceiving } = this.#connection;
    return this.#socket._paused !== true && (unanswered < this.#maxUnanswered || isReceiving);
  }

  /**
   * Whether the next slice may be parsed now. A long body is limited to one slice per scheduler slot, because Node.js would read up to 2 MB from one
   * socket before it polls the next.
   */
  #hasTime(): boolean {
    return this.#bodyLeft <= BODY_SLICE_BYTES && SCHEDULER.hasTime(this.#nameOwner());
  }

  #nameOwner(): string {
    return this.#connection.owner ?? this.#owner;
  }

  #enqueue(): void {
    if (this.#isQueued || !this.#isReady()) return;
    this.#isQueued = true;
    SCHEDULER.enter(this.#nameOwner(), this.#takeSlot);
  }

  readonly #takeSlot = (): void => {
    this.#isQueued = false;
    const reserved = this.#reserved;
    if (reserved === undefined || this.#isOver || this.#socket.destroyed || !this.#isReady()) return;
    if (this.#bodyLeft > BODY_SLICE_BYTES) SCHEDULER.spend(READ_MS);
    this.#parseSlice(reserved);
    this.#complete();
  };

  #parseSlice(reserved: Buffer): void {
    const connection = this.#connection;
    const end = this.#bodyLeft > 0 ? Math.min(this.#bodyLeft, BODY_SLICE_BYTES) : findHeadEnd(reserved);
    const slice = reserved.subarray(0, end);
    this.#reserved = reserved.length > end ? reserved.subarray(end) : undefined;
    this.#bodyLeft = Math.max(0, this.#bodyLeft - slice.length);
    const { begun } = connection;
    this.#parse(slice);
    if (connection.isBroken || this.#isOver) {
      this.#reserved = undefined;
    } else if (connection.begun > begun) {
      SCHEDULER.spend((connection.begun - begun) * REQUEST_MS);
      // The slice ended with a request head, so the body of this request follows.
      if (connection.isReceiving)
        this.#bodyLeft = Number(connection.newest?.request.headers['content-length'] ?? 0);
    }
  }

  /** Continues to read, or waits for a scheduler slot or an answer. */
  #complete(): void {
    const socket = this.#socket;
    if (this.#isOver) return;
    this.#countReserved();
    if (socket.destroyed || this.#connection.isBroken) return;
    const isReady = this.#isReady();
    if (this.#reserved === undefined && isReady) {
      if (socket.isPaused()) socket.resume();
    } else {
      socket.pause();
      if (this.#reserved !== undefined) this.#enqueue();
    }
  }

  /**
   * Updates the memory that is counted for buffered bytes. The buffered bytes are already read, so they are counted even if the bound is exceeded.
   */
  #countReserved(): void {
    const bytes = this.#reserved === undefined ? 0 : Math.max(this.#reservedBytes, this.#reserved.length);
    if (bytes === this.#reservedBytes) return;
    const { arriving } = this.#shares;
    arriving.giveBack(this.#reservedOwner, this.#reservedBytes);
    this.#reservedOwner = this.#nameOwner();
    this.#reservedBytes = bytes;
    arriving.take(this.#reservedOwner, bytes);
  }
}

/** Returns the end of a slice with at most one head: after the first empty line, if there is one. */
function findHeadEnd(reserved: Buffer): number {
  const part = reserved.length > HEAD_SLICE_BYTES ? reserved.subarray(0, HEAD_SLICE_BYTES) : reserved;
  const byCrLf = part.indexOf('\n\r\n');
  const strict = byCrLf < 0 ? part.length : byCrLf + 3;
  // The parser accepts lines without CR.
  const byLf = part.subarray(0, strict).indexOf('\n\n');
  if (byLf >= 0) return byLf + 2;
  return byCrLf >= 0 || part.length === reserved.length ? strict : part.length - CUT_EMPTY_LINE_BYTES;
}
