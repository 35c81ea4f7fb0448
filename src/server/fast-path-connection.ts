import type { Socket } from 'node:net';
import type { Gateway } from '../gateway/gateway.ts';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { Connection } from './connection.ts';
import { endIdle, endStalled } from './end-connection.ts';
import type { FastPathEndpoint } from './fast-path-endpoint.ts';
import { type FastPathHead, FastPathHeadReader } from './fast-path-request.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { ListenerLimits } from './options.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { TransportShares } from './transport-shares.ts';
import { readPeer, type VisitorReader } from './visitor.ts';

export type FastPathConnectionParts = {
  readonly endpoint: FastPathEndpoint;
  readonly gateway: Gateway;
  readonly limits: ListenerLimits;
  readonly writer: ResponseWriter;
  readonly shares: TransportShares;
  readonly visitors: VisitorReader;
  /** Passes the socket to the Node.js HTTP server. All received bytes that have no answer yet must have been put back on the socket before. */
  readonly handOver: (socket: Socket) => void;
  /** Called when the connection is closed or handed over. */
  readonly onLeave: (connection: FastPathConnection) => void;
};

/**
 * Maximum body size on the fast path. The Node.js server reads larger bodies, because its overhead is small compared with the time to process such a
 * body.
 */
const MAX_BODY_BYTES = 64 * 1024;
/**
 * Maximum wait for the rest of a body, ms. If the body takes longer, the connection is passed to the Node.js server, which has its own time limits.
 */
const MAX_BODY_WAIT_MS = 1_000;

/** State of a request whose body is still arriving. */
type Beginning = {
  readonly head: FastPathHead;
  readonly gathered: GatheredBytes;
  /** Number of body bytes that have not arrived. */
  missing: number;
  readonly timer: NodeJS.Timeout;
  /** Owner of the reserved memory: the client address, because the key is checked only when the body is complete. */
  readonly owner: string;
};

/** Bytes that arrived while an earlier request was being answered, and the owner of their memory. */
type Early = { readonly gathered: GatheredBytes; readonly owner: string };

/**
 * A connection that serves simple requests without the Node.js HTTP server: one at a time, each a POST with a Content-Length and a short body. Any
 * other request hands the connection over to the Node.js HTTP server permanently.
 */
export class FastPathConnection {
  readonly #socket: Socket;
  readonly #unanswered: Connection;
  readonly #parts: FastPathConnectionParts;
  readonly #heads = new FastPathHeadReader();
  #beginning: Beginning | undefined;
  /** Set while a request is being answered, until the client has received the answer. */
  #isBusy = false;
  #early: Early | undefined;
  /** Set when the connection is being ended, so that later bytes are dropped. */
  #isEnded = false;

  /** @param unanswered state of this socket's unanswered requests */
  constructor(socket: Socket, unanswered: Connection, parts: FastPathConnectionParts) {
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

  /** Closes the connection immediately if it is idle. */
  closeIfIdle(): void {
    if (this.#isIdle) this.#socket.destroySoon();
  }

  /** Half-closes the connection if it is idle. If the client has just sent a request, the connection is not reset. */
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

  readonly #onTimeout = (): void => endStalled(this.#socket, () => this.#endStalled());

  #endStalled(): void {
    const socket = this.#socket;
    if (socket.writableLength === 0) {
      // No 408 is sent, because no request has begun to arrive. A client that is just sending a request would take the 408 for its answer.
      this.endIfIdle();
      return;
    }
    this.#parts.shares.noteBound('send.time');
    socket.destroy();
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

  /** @param bytes bytes that begin with the first byte of a request */
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

  /** Waits for the rest of a body. @returns false if there is no memory for the body */
  #begin(head: FastPathHead, bytes: Buffer, missing: number): boolean {
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

  /** Returns the owner of the request that is being answered. */
  #nameCaller(): string {
    const caller = this.#unanswered.caller;
    return caller === undefined
      ? this.#nameAddress()
      : nameOwner(caller.visitor.address, caller.session?.principal.id);
  }

  /** Buffers bytes that a client sends ahead, and stops reading until they are served. */
  #putOff(chunk: Buffer): void {
    this.#socket.pause();
    this.#unanswered.hasNext = true;
    this.#early ??= { gathered: new GatheredBytes(), owner: this.#nameCaller() };
    const { gathered, owner } = this.#early;
    // Bytes that were read must be answered, so their memory is counted even if the bound is exceeded. Reading is paused until the buffered bytes are
    // served.
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

  /** Returns the bytes of the incomplete request, and stops waiting for the rest. */
  #takeBeginning(): Buffer {
    const beginning = this.#beginning;
    if (beginning === undefined) return Buffer.alloc(0);
    this.#beginning = undefined;
    clearTimeout(beginning.timer);
    this.#parts.shares.arriving.giveBack(beginning.owner, beginning.head.bodyLength);
    return beginning.gathered.join();
  }

  /** @param bytes one complete request */
  #serve(head: FastPathHead, bytes: Buffer): void {
    this.#isBusy = true;
    const body = bytes.subarray(head.headLength);
    const served = this.#parts.endpoint.serve({ head, body }, this.#socket, this.#unanswered);
    if (served instanceof Promise) void served.then(this.#complete);
    else this.#complete();
  }

  /** Called when an answer has been sent to the client. */
  readonly #complete = (): void => {
    const socket = this.#socket;
    const isLast = this.#parts.writer.isClosing && this.#early === undefined;
    if (isLast || this.#unanswered.isOver) {
      socket.destroySoon();
      return;
    }
    // Restores the idle timeout: while the answer was being sent, the socket had the timeout of a write.
    if (socket.timeout !== this.#parts.limits.keepAliveTimeout)
      socket.setTimeout(this.#parts.limits.keepAliveTimeout);
    this.#isBusy = false;
    if (this.#early === undefined || socket.destroyed) return;
    const early = this.#takeEarly() as Buffer;
    socket.resume();
    this.#receive(early);
  };

  /**
   * Hands the connection over to the Node.js server, immediately if the scheduler has time left in this iteration of the event loop, otherwise in a
   * scheduler slot.
   */
  #handOver(bytes: Buffer): void {
    const owner = this.#nameAddress();
    if (SCHEDULER.hasTime(owner)) {
      const startedAt = performance.now();
      this.#handOverNow(bytes);
      SCHEDULER.spend(performance.now() - startedAt);
      return;
    }
    this.#isBusy = true;
    this.#putOff(bytes);
    SCHEDULER.enter(owner, () => {
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
