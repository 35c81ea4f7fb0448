import type { Socket } from 'node:net';
import type { Gateway } from '../gateway/gateway.ts';
import { nameOwner } from '../util/owner.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { Connection } from './connection.ts';
import { endIdle, endLate } from './end-connection.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { TransportLimits } from './options.ts';
import type { PlainEndpoint } from './plain-endpoint.ts';
import { type PlainHead, PlainHeadReader } from './plain-request.ts';
import { sendRawResponse } from './raw-response.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { TransportShares } from './transport-shares.ts';
import { readPeer, type VisitorReader } from './visitor.ts';

export type PlainConnectionParts = {
  readonly endpoint: PlainEndpoint;
  readonly gateway: Gateway;
  readonly limits: TransportLimits;
  readonly writer: ResponseWriter;
  readonly shares: TransportShares;
  readonly visitors: VisitorReader;
  /** Gives the socket to node's HTTP server, with all that has not been answered on it again. */
  readonly handOver: (socket: Socket) => void;
  /** Called when the connection is closed or handed over. */
  readonly onLeave: (connection: PlainConnection) => void;
};

/** A larger body is read by node's server, which costs little beside what is done with it. */
const MAX_BODY_BYTES = 64 * 1024;
/** What is still missing of a body then is waited for by node's server, with its time limits; milliseconds. */
const MAX_BODY_WAIT_MS = 1_000;

/** The beginning of a request with a body that is still arriving. */
type Beginning = {
  readonly head: PlainHead;
  readonly gathered: GatheredBytes;
  /** Bytes until the body is whole. */
  missing: number;
  readonly timer: NodeJS.Timeout;
  /** Its address: the key is looked at when the body is whole. */
  readonly owner: string;
};

/** What came while an earlier request was being answered. */
type Early = { readonly gathered: GatheredBytes; readonly owner: string };

/**
 * A connection as long as its requests are plain: one at a time, each a POST with a short body of a known length. With the
 * first that is anything else it goes over to node's HTTP server, and stays there.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #unanswered: Connection;
  readonly #parts: PlainConnectionParts;
  readonly #heads = new PlainHeadReader();
  #beginning: Beginning | undefined;
  /** A request is being answered, or the client has to read its answer first. */
  #isBusy = false;
  #early: Early | undefined;
  #wasUsed = false;
  /** What still arrives is dropped. */
  #isEnded = false;

  /** @param unanswered the requests of this socket */
  constructor(socket: Socket, unanswered: Connection, parts: PlainConnectionParts) {
    this.#socket = socket;
    this.#unanswered = unanswered;
    this.#parts = parts;
    socket.setTimeout(parts.limits.headersTimeout);
    socket.on('data', this.#onData);
    socket.on('timeout', this.#onTimeout);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Closes the connection, at once, unless there is something to be answered on it. */
  closeIfIdle(): void {
    if (this.#isIdle) this.#socket.destroySoon();
  }

  /** The same, without a reset for what is on its way. */
  endIfIdle(): void {
    if (!this.#isIdle || this.#isEnded) return;
    this.#isEnded = true;
    endIdle(this.#socket);
  }

  get #isIdle(): boolean {
    return !this.#isBusy && this.#beginning === undefined;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isEnded) return;
    if (this.#isBusy) this.#putOff(chunk);
    else if (this.#beginning === undefined) this.#receive(chunk);
    else this.#continue(this.#beginning, chunk);
  };

  readonly #onTimeout = (): void => endLate(this.#socket, () => this.#endLate());

  #endLate(): void {
    const socket = this.#socket;
    const isUnread = socket.writableLength > 0;
    if (isUnread) this.#parts.shares.noteBound('send.time');
    if (isUnread || (!this.#isBusy && this.#wasUsed)) socket.destroy();
    else if (this.#isIdle) {
      this.#leave();
      sendRawResponse(socket, this.#parts.gateway.refuse('body.time'));
    }
  }

  readonly #onEnd = (): void => {
    this.#socket.end();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#takeBeginning();
    this.#takeEarly();
    this.#parts.onLeave(this);
  };

  /** @param bytes from the first one of a request on */
  #receive(bytes: Buffer): void {
    const { limits } = this.#parts;
    const head = this.#heads.read(bytes);
    if (head === undefined || head.bodyLength > Math.min(MAX_BODY_BYTES, limits.bodyBytes)) {
      this.#handOver(bytes);
      return;
    }
    const missing = head.headLength + head.bodyLength - bytes.length;
    if (missing === 0) this.#serve(head, bytes);
    else if (missing < 0 || !this.#begin(head, bytes, missing)) this.#handOver(bytes);
  }

  /** Waits for the rest of a body, where there is memory for it. */
  #begin(head: PlainHead, bytes: Buffer, missing: number): boolean {
    const owner = this.#nameAddress(head.fields.forwardedFor);
    if (!this.#parts.shares.takeArriving(owner, head.bodyLength)) return false;
    const wait = Math.min(MAX_BODY_WAIT_MS, this.#parts.limits.bodyTimeout / 4);
    const timer = setTimeout(() => this.#handOver(this.#takeBeginning()), wait);
    const gathered = new GatheredBytes();
    gathered.add(bytes);
    this.#beginning = { head, gathered, missing, timer, owner };
    return true;
  }

  #nameAddress(forwardedFor?: string): string {
    const { visitors } = this.#parts;
    return nameOwner(visitors.findAddress(readPeer(this.#socket), forwardedFor));
  }

  /** Of the request that is being answered. */
  #nameCaller(): string {
    const caller = this.#unanswered.caller;
    return caller === undefined ? this.#nameAddress() : nameOwner(caller.visitor.address, caller.keyId);
  }

  /** Keeps what a client sends ahead, and reads on when it is its turn. */
  #putOff(chunk: Buffer): void {
    this.#socket.pause();
    this.#unanswered.hasNext = true;
    this.#early ??= { gathered: new GatheredBytes(), owner: this.#nameCaller() };
    const { gathered, owner } = this.#early;
    // It has been read, and an answer is owed: it counts whether there is room or not. Nothing more is read behind it.
    this.#parts.shares.arriving.take(owner, gathered.costOf(chunk));
    gathered.add(chunk);
  }

  #takeEarly(): Buffer | undefined {
    const early = this.#early;
    if (early === undefined) return undefined;
    this.#early = undefined;
    this.#unanswered.hasNext = false;
    this.#parts.shares.arriving.giveBack(early.owner, early.gathered.cost);
    return early.gathered.join();
  }

  #continue(beginning: Beginning, chunk: Buffer): void {
    beginning.gathered.add(chunk);
    beginning.missing -= chunk.length;
    if (beginning.missing > 0) return;
    const bytes = this.#takeBeginning();
    if (beginning.missing === 0) this.#serve(beginning.head, bytes);
    else this.#handOver(bytes);
  }

  /** What has arrived of a request that is not whole; nothing is waited for any more. */
  #takeBeginning(): Buffer {
    const beginning = this.#beginning;
    if (beginning === undefined) return Buffer.alloc(0);
    this.#beginning = undefined;
    clearTimeout(beginning.timer);
    this.#parts.shares.arriving.giveBack(beginning.owner, beginning.head.bodyLength);
    return beginning.gathered.join();
  }

  /** @param bytes one request, whole */
  #serve(head: PlainHead, bytes: Buffer): void {
    this.#isBusy = true;
    this.#wasUsed = true;
    const body = bytes.subarray(head.headLength);
    const served = this.#parts.endpoint.serve({ head, body }, this.#socket, this.#unanswered);
    if (served instanceof Promise) void served.then(this.#settle);
    else this.#settle();
  }

  /** The client has been sent an answer. */
  readonly #settle = (): void => {
    const socket = this.#socket;
    const isLast = this.#parts.writer.isClosing && this.#early === undefined;
    if (isLast || this.#unanswered.isOver) {
      socket.destroySoon();
      return;
    }
    // While it is sent, an answer has a time limit of its own.
    if (socket.timeout !== this.#parts.limits.keepAliveTimeout)
      socket.setTimeout(this.#parts.limits.keepAliveTimeout);
    this.#isBusy = false;
    if (this.#early === undefined || socket.destroyed) return;
    const early = this.#takeEarly() as Buffer;
    socket.resume();
    this.#receive(early);
  };

  /** Leaves the connection to node's server: at once where there is time for that in this turn of the event loop. */
  #handOver(bytes: Buffer): void {
    const owner = this.#nameAddress();
    if (TURNS.hasTime(owner)) {
      const startedAt = performance.now();
      this.#handOverNow(bytes);
      TURNS.spend(performance.now() - startedAt);
      return;
    }
    this.#isBusy = true;
    this.#putOff(bytes);
    TURNS.enter(owner, () => {
      const early = this.#takeEarly();
      if (early !== undefined && !this.#socket.destroyed) this.#handOverNow(early);
    });
  }

  #handOverNow(bytes: Buffer): void {
    const socket = this.#socket;
    this.#leave();
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(bytes);
    this.#parts.handOver(socket);
    socket.resume();
  }

  #leave(): void {
    const socket = this.#socket;
    socket.removeListener('data', this.#onData);
    socket.removeListener('timeout', this.#onTimeout);
    socket.removeListener('end', this.#onEnd);
    socket.removeListener('error', this.#onError);
    socket.removeListener('close', this.#onClose);
    this.#parts.onLeave(this);
  }
}
