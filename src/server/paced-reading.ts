import type { Socket } from 'node:net';
import { TURNS } from '../util/turn-queue.ts';
import type { Connection } from './connection.ts';

/** A socket of node's HTTP server; where `_paused` its parser takes nothing. */
type NodeSocket = Socket & { readonly _paused?: boolean };

/** Of what was read, this much goes to the parser at once: it holds at most 227 requests. */
const SLICE_BYTES = 4 * 1024;
/** What a request costs behind its parsing, about, milliseconds. */
const REQUEST_MS = 0.05;

export type PacedReadingParts = {
  readonly socket: Socket;
  readonly connection: Connection;
  /** Whose turns are used until a key is known. */
  readonly owner: string;
};

/**
 * What node's HTTP server reads of a connection, in slices that take turns by owner: its parser begins all requests of
 * a chunk before anything else runs, thousands of them where they are short.
 */
export class PacedReading {
  readonly #socket: NodeSocket;
  readonly #connection: Connection;
  readonly #owner: string;
  /** node's own listener. */
  readonly #parse: (chunk: Buffer) => void;
  /** Read, and not with the parser. */
  #held: Buffer | undefined;
  #isQueued = false;
  #isOver = false;

  /** @param parts with the socket as node's server has just taken it */
  constructor({ socket, connection, owner }: PacedReadingParts) {
    this.#socket = socket;
    this.#connection = connection;
    this.#owner = owner;
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

  readonly #onData = (chunk: Buffer): void => {
    if (this.#connection.isBroken) return;
    if (this.#held !== undefined) {
      this.#held = Buffer.concat([this.#held, chunk]);
    } else if (chunk.length <= SLICE_BYTES && this.#isParserReady() && TURNS.hasTime()) {
      TURNS.spend(this.#timeParsing(chunk));
      return;
    } else {
      this.#held = chunk;
    }
    this.#socket.pause();
    this.#enqueue();
  };

  /** node's server resumes the socket when its parser takes more. */
  readonly #onResume = (): void => {
    if (this.#held === undefined) return;
    this.#socket.pause();
    this.#enqueue();
  };

  readonly #onClose = (): void => {
    this.#isOver = true;
    this.#held = undefined;
  };

  #isParserReady(): boolean {
    return this.#socket._paused !== true;
  }

  #enqueue(): void {
    if (this.#isQueued || !this.#isParserReady()) return;
    this.#isQueued = true;
    TURNS.enter(this.#connection.owner ?? this.#owner, this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    this.#isQueued = false;
    const held = this.#held;
    if (held === undefined || this.#isOver || this.#socket.destroyed || !this.#isParserReady()) return;
    const rest = held.length > SLICE_BYTES ? held.subarray(SLICE_BYTES) : undefined;
    this.#held = rest;
    const begun = this.#connection.begun;
    this.#parse(held.subarray(0, SLICE_BYTES));
    TURNS.spend((this.#connection.begun - begun) * REQUEST_MS);
    if (this.#connection.isBroken) this.#held = undefined;
    if (this.#isOver || this.#socket.destroyed || this.#connection.isBroken) return;
    if (this.#held !== undefined) this.#enqueue();
    else if (this.#isParserReady()) this.#socket.resume();
  };

  /** @returns what it cost, milliseconds */
  #timeParsing(chunk: Buffer): number {
    const startedAt = performance.now();
    const begun = this.#connection.begun;
    this.#parse(chunk);
    return performance.now() - startedAt + (this.#connection.begun - begun) * REQUEST_MS;
  }
}
