import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** The text of the Date field (RFC 9110 6.6.1), made once a second. */
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

/** Writes heads. Most lines of one are those of the one before, and are kept as text. */
class HeadWriter {
  readonly #clock = new HttpClock();
  #status = 0;
  #fields: readonly string[] = [];
  #first = '';
  #date = '';
  #keepAliveSeconds: number | undefined;
  #last = '';

  write({ status, fields, length, keepAliveSeconds }: PlainResponse): string {
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
    return `${this.#first}Content-Length: ${length}${this.#last}`;
  }
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const HEADS = new HeadWriter();
/** A larger answer is made bytes before it is written. */
const LARGE_BYTES = 64 * 1024;

/** Up to so many bytes are copied together: that costs less than a write of several parts. */
const MAX_COPIED_BYTES = 32 * 1024;
/** Where they are copied to. A socket that has not taken all of it at once keeps it. */
let gathered = Buffer.allocUnsafeSlow(MAX_COPIED_BYTES);

/** A response as node would write it, in one write. */
export type PlainResponse = {
  readonly status: number;
  /** Names and values in turn, without those that say where the response and its connection end. */
  readonly fields: readonly string[];
  /** Text, or bytes in parts. */
  readonly body: string | readonly Uint8Array[];
  /** Of the body, in bytes. */
  readonly length: number;
  /** How long the connection stays open for the next request, seconds; undefined: not at all. */
  readonly keepAliveSeconds: number | undefined;
};

/** @returns whether the socket would like more; as `Socket.write` */
export function writePlainResponse(socket: Socket, response: PlainResponse): boolean {
  const { body, length } = response;
  const text = HEADS.write(response);
  if (typeof body !== 'string') return writeParts(socket, text, body, length);
  // ASCII, which is all but a few answers, is the same bytes in both, and written faster as the first.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  // The text of a large answer need not be kept until it is read.
  return length > LARGE_BYTES
    ? socket.write(Buffer.from(text + body, encoding))
    : socket.write(text + body, encoding);
}

/** @param head ASCII */
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
