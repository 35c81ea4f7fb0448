import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Provides the text of the Date field (RFC 9110 6.6.1), formatted once per second. */
class HttpClock {
  #second = 0;
  #text = '';

  get text(): string {
    const now = Date.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}

/** Formats response heads. Lines that are equal to those of the previous head are reused. */
class HeadWriter {
  readonly #clock = new HttpClock();
  #status = 0;
  #fields: readonly string[] = [];
  #first = '';
  #date = '';
  #keepAliveSeconds: number | undefined;
  #last = '';

  write({ status, fields, changingField, length, keepAliveSeconds }: FastPathResponse): string {
    if (status !== this.#status || !areEqual(fields, this.#fields)) {
      this.#status = status;
      this.#fields = fields;
      this.#first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
      for (let i = 0; i + 1 < fields.length; i += 2) this.#first += `${fields[i]}: ${fields[i + 1]}\r\n`;
    }
    const date = this.#clock.text;
    if (date !== this.#date || keepAliveSeconds !== this.#keepAliveSeconds) {
      this.#date = date;
      this.#keepAliveSeconds = keepAliveSeconds;
      const isKept = keepAliveSeconds !== undefined;
      const connection = isKept ? `keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}` : 'close';
      this.#last = `\r\nDate: ${date}\r\nConnection: ${connection}\r\n\r\n`;
    }
    const start = changingField === undefined ? this.#first : `${this.#first}${formatLine(changingField)}`;
    return `${start}Content-Length: ${length}${this.#last}`;
  }
}

function formatLine([name, value]: ResponseField): string {
  return `${name}: ${value}\r\n`;
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const HEADS = new HeadWriter();
/** Size above which an answer is encoded to bytes before it is written, bytes. */
const LARGE_BYTES = 64 * 1024;

/** Maximum total size of parts that are copied into one buffer, bytes; one write of a copy costs less than several writes. */
const MAX_COPIED_BYTES = 32 * 1024;
/**
 * Reused buffer into which the parts of a small response are copied. The buffer is replaced if a socket could not send all of it, because the socket
 * still references the buffer then.
 */
let gathered = Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);

/** Name and value of a header field. */
export type ResponseField = readonly [string, string];

/** A response in the format of the Node.js HTTP server, sent in one write. */
export type FastPathResponse = {
  readonly status: number;
  /** Alternating names and values of the header fields, without Content-Length, Date, Connection and Keep-Alive. */
  readonly fields: readonly string[];
  /** A field with another value in each answer. It is not in `fields`, because lines are reused only while `fields` are equal. */
  readonly changingField?: ResponseField | undefined;
  /** Body of the response: text, or bytes in parts. */
  readonly body: string | readonly Uint8Array[];
  /** Length of the body, bytes. */
  readonly length: number;
  /** Time for which the connection stays open for the next request, seconds; undefined if the connection closes. */
  readonly keepAliveSeconds: number | undefined;
};

/** @returns false if the socket is full, like `Socket.write` */
export function writeFastPathResponse(socket: Socket, response: FastPathResponse): boolean {
  const { body, length } = response;
  const text = HEADS.write(response);
  if (typeof body !== 'string') return writeParts(socket, text, body, length);
  // ASCII text, the content of nearly all answers, has the same bytes in latin1 and UTF-8, and latin1 is written faster.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  // A large answer is encoded to bytes first, because a socket to which a text is written keeps both the text and its bytes until they are sent.
  return length > LARGE_BYTES
    ? socket.write(Buffer.from(text + body, encoding))
    : socket.write(text + body, encoding);
}

/** @param head ASCII text */
function writeParts(socket: Socket, head: string, parts: readonly Uint8Array[], length: number): boolean {
  if (head.length + length > MAX_COPIED_BYTES) {
    socket.cork();
    let isTaken = socket.write(head, 'latin1');
    for (const part of parts) isTaken = socket.write(part);
    socket.uncork();
    return isTaken || socket.writableLength === 0;
  }
  let at = gathered.write(head, 'latin1');
  for (const part of parts) {
    gathered.set(part, at);
    at += part.length;
  }
  const isTaken = socket.write(gathered.subarray(0, at));
  if (socket.writableLength > 0) gathered = Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);
  return isTaken;
}
