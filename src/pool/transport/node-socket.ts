import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { UpstreamFault } from '../fault.ts';
import { describeConnectionError } from './connection-error.ts';
import type { PassOn } from './frame-reader.ts';
import { describeRefusal } from './http-status.ts';
import type { Endpoint, TransportLimits } from './transport.ts';

const NORMAL_CLOSURE = 1000;
/** Maximum time to process messages of one node in one iteration of the event loop, ms. */
const SLOT_MS = 2;
/** Minimum size of a read that is timed, bytes; if a node sends continuously, each read is at least this long. */
const TIMED_BYTES = 16_384;
/** Time limit for the node to answer a close frame, ms. */
const CLOSE_GRACE_MS = 1_000;

export interface SocketListener {
  /**
   * Called with received bytes before the WebSocket library gets them.
   * @param pass passes bytes to the library
   * @throws UpstreamFault that ends the connection
   */
  onBytes(chunk: Buffer, pass: PassOn): void;
  onOpen(): void;
  /** @throws UpstreamFault that ends the connection */
  onMessage(message: Buffer): void;
  /** Called once, after all other calls, when the connection has ended or could not be established. */
  onDown(fault: UpstreamFault): void;
}

/** One WebSocket to a node, from the connection attempt to its end. */
export class NodeSocket {
  readonly #ws: WebSocket;
  readonly #listener: SocketListener;
  readonly #ended: Promise<void>;
  readonly #connectTimer: NodeJS.Timeout;
  #pingTimer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  /** Listeners of the WebSocket library for bytes of the socket. */
  #givers: readonly PassOn[] = [];
  #isCorked = false;
  #bytesAtPing = -1;
  /** End of the reading time in this iteration of the event loop, ms of `performance.now()`; 0 before the first timed read of an iteration. */
  #slotEnd = 0;
  /** Reason why the connection ends, if one is known. Only the first reason is stored. */
  #fault: UpstreamFault | undefined;

  constructor({ url, headers }: Endpoint, limits: TransportLimits, listener: SocketListener) {
    // UTF-8 is validated when messages are read.
    const ws = new WebSocket(url, {
      headers: { ...headers },
      perMessageDeflate: false,
      maxPayload: limits.answerBytes,
      skipUTF8Validation: true,
    });
    this.#ws = ws;
    this.#listener = listener;
    this.#connectTimer = setTimeout(() => {
      this.#terminate(new UpstreamFault('timeout', 'the node did not accept the connection in time'));
    }, limits.connectTimeout);
    ws.on('upgrade', ({ socket }) => {
      this.#socket = socket;
      // Bytes that arrived while reading was paused must be scanned before the close listener of the library reads them.
      socket.on('close', () => {
        const rest: unknown = socket.read();
        if (Buffer.isBuffer(rest)) this.#read(rest);
      });
    });
    ws.on('unexpected-response', (_request, response) => this.#terminate(describeResponse(response)));
    ws.on('open', () => {
      clearTimeout(this.#connectTimer);
      this.#readFirst();
      this.#pingTimer = setInterval(() => this.#ping(), limits.pingInterval).unref();
      listener.onOpen();
    });
    ws.on('message', (data) => this.#guard(() => listener.onMessage(data as Buffer)));
    ws.on('error', (error) => {
      this.#fault ??= describeSocketError(error);
    });
    this.#ended = new Promise((resolve) => {
      ws.on('close', () => {
        clearTimeout(this.#connectTimer);
        clearInterval(this.#pingTimer);
        listener.onDown(
          this.#fault ?? new UpstreamFault('unreachable', 'the connection to the node was lost'),
        );
        resolve();
      });
    });
  }

  send(text: string): void {
    if (this.#ws.readyState === WebSocket.OPEN) {
      this.#gatherWrites();
      this.#ws.send(text);
    } else {
      // The node is closing the connection. `terminate` reports the end of the connection immediately, without waiting for the close handshake.
      this.#ws.terminate();
    }
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#ws.terminate(), CLOSE_GRACE_MS);
    this.#ws.close(NORMAL_CLOSURE);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Replaces the library's data listener, which was attached just before, so that the library gets only bytes that are passed on. */
  #readFirst(): void {
    const socket = this.#socket as Socket;
    this.#givers = socket.listeners('data') as PassOn[];
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      if (chunk.length >= TIMED_BYTES) this.#pace();
      this.#read(chunk);
    });
  }

  #read(chunk: Buffer): void {
    this.#guard(() => this.#listener.onBytes(chunk, this.#pass));
  }

  /** @throws UpstreamFault if the connection must end; the chunk is then not passed on */
  readonly #pass = (bytes: Buffer): void => {
    if (this.#fault === undefined) for (const give of this.#givers) give.call(this.#socket, bytes);
    if (this.#fault !== undefined) throw this.#fault;
  };

  /** Combines all writes of this iteration of the event loop into one write at its end. */
  #gatherWrites(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#isCorked) return;
    this.#isCorked = true;
    socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      socket.uncork();
    });
  }

  /**
   * Sends a ping, or ends the connection if no byte has arrived since the last ping. Any byte counts, because a pong may be queued behind a large
   * message.
   */
  #ping(): void {
    const bytes = this.#socket?.bytesRead ?? 0;
    if (bytes === this.#bytesAtPing) {
      this.#terminate(new UpstreamFault('unreachable', 'the node does not answer pings'));
      return;
    }
    this.#bytesAtPing = bytes;
    this.#ws.ping();
  }

  /**
   * Pauses a fast connection until the next iteration of the event loop, because libuv reads up to 32 chunks from one socket before it serves
   * another.
   */
  #pace(): void {
    const now = performance.now();
    if (this.#slotEnd === 0) {
      this.#slotEnd = now + SLOT_MS;
      setImmediate(() => {
        this.#slotEnd = 0;
        if (this.#ws.isPaused) this.#ws.resume();
      });
    } else if (now > this.#slotEnd) this.#ws.pause();
  }

  /** Runs `read`, unless the connection must end. Messages that the library has buffered and emits after that are ignored. */
  #guard(read: () => void): void {
    if (this.#fault !== undefined) return;
    try {
      read();
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      this.#terminate(error);
    }
  }

  #terminate(fault: UpstreamFault): void {
    this.#fault ??= fault;
    this.#ws.terminate();
  }
}

function describeResponse({ statusCode = 0, headers }: IncomingMessage): UpstreamFault {
  return describeRefusal({ status: statusCode, retryAfter: headers['retry-after'] });
}

function describeSocketError(error: NodeJS.ErrnoException): UpstreamFault {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
  }
  return describeConnectionError(error);
}
