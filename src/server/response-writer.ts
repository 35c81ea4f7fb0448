import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JsonBytes, JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import type { WholeAnswer } from '../gateway/answer.ts';
import type { CancelSignal } from '../util/cancel-source.ts';
import { acceptsCoding, chooseCoding } from './codings/choose-coding.ts';
import type { Coding } from './codings/coding.ts';
import { GZIP } from './codings/gzip.ts';
import type { Compression } from './compression.ts';
import type { CorsPolicy } from './cors.ts';
import { CountedPieces, compressPieces, waitForTurn, writePieces } from './piece-writer.ts';
import type { RequestHead } from './request-head.ts';
import type { SendBacklog } from './send-backlog.ts';

/** Minimum length of a compressed answer, bytes; for a shorter one, compression would save less than one packet. */
const MIN_COMPRESSED_LENGTH = 1024;

/**
 * Length above which an answer is encoded to bytes before it is written, UTF-16 units. A socket to which text is written keeps both the text and its
 * bytes in memory.
 */
const LARGE_LENGTH = 64 * 1024;

/** Returns the byte length of an answer that is not a stream. */
export function measure(body: string | JsonBytes): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** Encodes a large answer to bytes. */
function encodeLarge(body: string): string | Uint8Array {
  return body.length > LARGE_LENGTH ? Buffer.from(body) : body;
}

/** Options for sending an answer. */
export type AnswerWay = {
  readonly headers?: readonly string[] | undefined;
  /** Whether the connection closes after the answer. */
  readonly isLast: boolean;
  /** Send backlog of the connection. */
  readonly sendBacklog: SendBacklog;
  /** Owner of the answer's memory in the shared bounds. */
  readonly owner: string;
};

export type StreamWay = Pick<AnswerWay, 'headers' | 'sendBacklog' | 'owner'> & {
  readonly signal: CancelSignal;
  /** Called when the response is the next one in the pipeline. Returns whether the connection must close after this response. */
  readonly takeLast: () => boolean;
};

/** A text that is sent repeatedly, with its bytes and its gzip form. */
type Document = { readonly text: string; readonly plain: Uint8Array; readonly zipped: Uint8Array };

/** Returns the coding that the client of an answer accepts; undefined for an answer that is too short for compression. */
export function findCoding(body: string | JsonBytes, head: RequestHead): Coding | undefined {
  return body.length >= MIN_COMPRESSED_LENGTH ? chooseCoding(head.acceptEncoding) : undefined;
}

/** Encoded body: text, bytes, or bytes in several parts. */
type Encoded = string | Uint8Array | readonly Uint8Array[];

/** Writes HTTP answers: text and bytes in one write with a Content-Length, and streams piece by piece. */
export class ResponseWriter {
  readonly #cors: CorsPolicy;
  readonly #sendTimeout: number;
  readonly #compression: Compression;
  #document: Document | undefined;
  #closing = false;
  /** Number of connections that remain to be closed, each with its next answer. */
  #parting = 0;

  constructor(cors: CorsPolicy, sendTimeout: number, compression: Compression) {
    this.#cors = cors;
    this.#compression = compression;
    this.#sendTimeout = sendTimeout;
  }

  /** Makes each connection close with its next answer. */
  beginClosing(): void {
    this.#closing = true;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Sets how many connections are closed with their next answer, and replaces the number of an earlier call. */
  partWith(connections: number): void {
    this.#parting = connections;
  }

  /**
   * Whether `partWith` requires that a connection which would stay open closes with this answer. Each call that returns true reduces the number of
   * connections to close by one.
   */
  takeParting(): boolean {
    if (this.#closing || this.#parting === 0) return false;
    this.#parting--;
    return true;
  }

  /** Sends an answer that is not a stream, compressed if the client accepts a coding and a compression slot is free. */
  send(response: ServerResponse, head: RequestHead, answer: WholeAnswer, way: AnswerWay): void {
    const { status, body } = answer;
    const fields = this.describe(body, head, answer);
    if (way.headers !== undefined) fields.push(...way.headers);
    if (way.isLast) fields.push('Connection', 'close');
    const coding = findCoding(body, head);
    if (coding !== undefined) {
      this.#sendCompressed(coding, response, answer, fields, way).catch(() => response.destroy());
    } else this.#writeFastPath(response, status, body, fields, way);
  }

  /** Sends a document with status 200. The encoded forms of the document are cached, and all responses share them. */
  sendDocument(response: ServerResponse, head: RequestHead, text: string, way: AnswerWay): void {
    if (this.#document?.text !== text)
      this.#document = { text, plain: Buffer.from(text), zipped: gzipSync(text) };
    const { plain, zipped } = this.#document;
    const fields = this.describe(text, head);
    if (way.isLast) fields.push('Connection', 'close');
    // Clients that do not accept gzip get the document uncompressed.
    const zips = text.length >= MIN_COMPRESSED_LENGTH && acceptsCoding(head.acceptEncoding, GZIP);
    if (zips) fields.push('Content-Encoding', 'gzip');
    const bytes = zips ? zipped : plain;
    this.#write(response, 200, bytes, bytes.length, fields, way);
  }

  /** Returns the header fields of an answer, without Content-Length and Content-Encoding. */
  describe(
    body: string | JsonBytes,
    head: RequestHead,
    { retryAfter, trust }: Pick<WholeAnswer, 'retryAfter' | 'trust'> = {},
  ): string[] {
    const fields = listCommonFields(body === '', trust);
    if (retryAfter !== undefined) fields.push('Retry-After', String(retryAfter));
    if (head.origin !== undefined) this.#cors.addHeaders(fields, head.origin);
    if (body.length >= MIN_COMPRESSED_LENGTH) fields.push('Vary', 'Accept-Encoding');
    return fields;
  }

  /**
   * Sends a stream with status 200, once the response is the next one in the pipeline. Resolves when the body is sent, when it has failed, or when
   * `signal` is aborted before its first byte. If the stream fails, the connection is closed.
   * @returns number of body bytes sent, before compression
   */
  async sendStream(
    response: ServerResponse,
    head: RequestHead,
    body: JsonStream,
    { signal, headers, sendBacklog, owner, takeLast }: StreamWay,
  ): Promise<number> {
    const pieces = new CountedPieces(body.pieces);
    let coding: Coding | undefined;
    sendBacklog.beginStream();
    try {
      if (!(await waitForTurn(response, signal))) return 0;
      const accepted = chooseCoding(head.acceptEncoding);
      if (accepted !== undefined && this.#compression.takeStream(accepted, owner)) coding = accepted;
      const fields = ['Content-Type', 'application/json', 'Vary', 'Accept-Encoding'];
      if (coding !== undefined) fields.push('Content-Encoding', coding.name);
      if (headers !== undefined) fields.push(...headers);
      if (head.origin !== undefined) this.#cors.addHeaders(fields, head.origin);
      if (takeLast()) fields.push('Connection', 'close');
      response.writeHead(200, fields);
      response.socket?.setTimeout(this.#sendTimeout);
      const encoded = coding === undefined ? pieces : compressPieces(pieces, coding);
      await writePieces(response, encoded, () => sendBacklog.update(owner));
      response.end();
    } catch {
      response.destroy();
    } finally {
      if (coding !== undefined) this.#compression.endStream(coding, owner);
      sendBacklog.endStream();
      body.cancel();
    }
    return pieces.bytes;
  }

  async #sendCompressed(
    coding: Coding,
    response: ServerResponse,
    { status, body }: WholeAnswer,
    fields: string[],
    way: AnswerWay,
  ): Promise<void> {
    const release = way.sendBacklog.setAside(body.length, way.owner);
    let compressed: Uint8Array | readonly Uint8Array[] | undefined;
    try {
      compressed = await this.#compress(coding, body, way.owner, response);
    } finally {
      release();
    }
    if (response.destroyed) return;
    if (compressed === undefined) {
      this.#writeFastPath(response, status, body, fields, way);
      return;
    }
    fields.push('Content-Encoding', coding.name);
    this.#write(response, status, compressed, countBytes(compressed), fields, way);
  }

  async #compress(
    coding: Coding,
    body: string | JsonBytes,
    owner: string,
    response: ServerResponse,
  ): Promise<Uint8Array | readonly Uint8Array[] | undefined> {
    if (typeof body === 'string') return this.#compression.compress(coding, body, owner, response);
    const packed = await this.#compression.pack(coding, body.value, owner, response);
    return packed && coding.join(body, packed);
  }

  #writeFastPath(
    response: ServerResponse,
    status: number,
    body: string | JsonBytes,
    fields: string[],
    way: AnswerWay,
  ): void {
    const encoded = typeof body === 'string' ? encodeLarge(body) : [body.head, body.value.bytes, body.tail];
    this.#write(response, status, encoded, measure(body), fields, way);
  }

  #write(
    response: ServerResponse,
    status: number,
    body: Encoded,
    length: number,
    fields: string[],
    { sendBacklog, owner }: AnswerWay,
  ): void {
    fields.push('Content-Length', String(length));
    response.writeHead(status, fields);
    if (typeof body === 'string' && body !== '' && response.socket !== null) {
      // ASCII text, the content of nearly all answers, has the same bytes in latin1 and UTF-8, and latin1 is written faster.
      writeAtOnce(response, response.socket, body, length === body.length ? 'latin1' : 'utf8');
    } else if (typeof body === 'string' || body instanceof Uint8Array) response.end(body);
    else writeParts(response, body);
    const { socket } = response;
    if (socket === null) sendBacklog.queue(response, owner);
    else if (socket.writableLength > 0) sendBacklog.update(owner);
    this.#watchSending(response);
  }

  /**
   * Limits the time for which the client may leave the answer unread. Usually the kernel accepts the whole answer immediately. If the kernel accepts
   * only a part, Node.js emits the server's `timeout` event when the socket makes no progress.
   */
  #watchSending(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null) {
      response.once('socket', (assigned) => assigned.setTimeout(this.#sendTimeout));
    } else if (socket.writableLength > 0) {
      socket.setTimeout(this.#sendTimeout);
    }
  }
}

/** Writes the head and all parts in one write. */
function writeParts(response: ServerResponse, parts: readonly Uint8Array[]): void {
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

/** Returns the total bytes of a body. */
export function countBytes(body: Uint8Array | readonly Uint8Array[]): number {
  return body instanceof Uint8Array ? body.length : body.reduce((sum, part) => sum + part.length, 0);
}

/**
 * Writes head and body in one write. With `response.end(body)`, the socket would combine this write with an empty one, which takes 5% of the time of
 * a small request.
 */
function writeAtOnce(
  response: ServerResponse,
  socket: Socket,
  body: string,
  encoding: 'latin1' | 'utf8',
): void {
  // Without an explicit cork, `write` would cork the socket until the next tick.
  socket.cork();
  response.write(body, encoding);
  socket.uncork();
  response.end();
}

/** Returns the fields that most answers have. Array literals are used, because a growing array reserves room for 17 more elements. */
function listCommonFields(isEmpty: boolean, trust: string | undefined): string[] {
  if (isEmpty) return trust === undefined ? [] : ['X-Portcullis-Trust', trust];
  if (trust === undefined) return ['Content-Type', 'application/json'];
  return ['Content-Type', 'application/json', 'X-Portcullis-Trust', trust];
}
