import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n');
const OK_STATUS = Buffer.from('200');
const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
/** Members whose presence shows that the server failed at the measured request. */
const BAD_MEMBERS = ['"error":', '"result":null'].map((text) => Buffer.from(text));
/** Read size; errors are searched for in about the first 64 KiB of an answer. */
const READ_BYTES = 64 * 1024;
const SHOWN_BYTES = 200;

export type ConnectionHandlers = {
  readonly onConnect: () => void;
  /** Runs when a valid answer is complete. */
  readonly onAnswer: () => void;
  /** Runs on any status but 200, an error, a null, or a lost connection; the connection is unusable afterwards. */
  readonly onFailure: (error: Error) => void;
};

/**
 * One keep-alive connection with one request in flight. It does as little as a client can, because a load generator must cost less than the server
 * that it measures. The bytes of a long answer are counted and not stored.
 */
export class HttpConnection {
  readonly #socket: Socket;
  /** First bytes of a response until its head is complete. */
  #begin: Buffer | undefined;
  /** Length of the body being read, `Infinity` for a chunked one. */
  #length: number | undefined;
  #received = 0;
  /** The last bytes of a chunked answer. */
  #tail: Buffer = Buffer.alloc(0);

  constructor(
    address: { readonly host: string; readonly port: number },
    { onConnect, onAnswer, onFailure }: ConnectionHandlers,
  ) {
    const fail = (error: Error): void => {
      this.close();
      onFailure(error);
    };
    const read = (bytes: number, buffer: Uint8Array): boolean => {
      const piece = (buffer as Buffer).subarray(0, bytes);
      try {
        if (this.#read(piece)) onAnswer();
      } catch (error) {
        fail(error as Error);
      }
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: read };
    this.#socket = connect({ ...address, noDelay: true, onread });
    this.#socket.on('connect', onConnect);
    this.#socket.on('error', fail);
    this.#socket.on('close', () => fail(new Error('the server closed a connection')));
  }

  send(request: Uint8Array): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  /**
   * @returns whether the answer is complete with this piece
   * @throws Error when the answer is invalid
   */
  #read(piece: Buffer): boolean {
    if (this.#length === undefined) return this.#readHead(piece);
    if (this.#received < READ_BYTES) checkMembers(piece);
    this.#received += piece.length;
    return this.#endWith(piece);
  }

  #readHead(piece: Buffer): boolean {
    const bytes = this.#begin === undefined ? piece : Buffer.concat([this.#begin, piece]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#begin = Buffer.from(bytes);
      return false;
    }
    this.#begin = undefined;
    checkStatus(bytes);
    checkMembers(bytes);
    this.#length = readLength(bytes.toString('latin1', 0, end));
    this.#received = bytes.length - end - HEAD_END.length;
    return this.#endWith(bytes);
  }

  #endWith(piece: Buffer): boolean {
    const isComplete =
      this.#length === Number.POSITIVE_INFINITY
        ? this.#hasChunksEnd(piece)
        : this.#received >= (this.#length as number);
    if (isComplete) this.#length = undefined;
    return isComplete;
  }

  /** Whether the answer ends here. JSON text contains no raw line ends, so that only the last chunk matches. */
  #hasChunksEnd(piece: Buffer): boolean {
    const last = piece.length < CHUNKS_END.length ? Buffer.concat([this.#tail, piece]) : piece;
    this.#tail = Buffer.from(last.subarray(-CHUNKS_END.length));
    return this.#tail.equals(CHUNKS_END);
  }
}

/**
 * Returns the length of the body, `Infinity` for a chunked one.
 * @throws Error where the head states neither
 */
function readLength(head: string): number {
  const length = LENGTH.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (CHUNKED.test(head)) return Number.POSITIVE_INFINITY;
  throw new Error('an answer without Content-Length');
}

function checkStatus(response: Buffer): void {
  for (let i = 0; i < OK_STATUS.length; i++) {
    if (response[STATUS_AT + i] !== OK_STATUS[i]) throw describeBad(response);
  }
}

/** @throws Error when this part of an answer contains an error or a null */
export function checkMembers(part: Buffer): void {
  for (const member of BAD_MEMBERS) if (part.includes(member)) throw describeBad(part);
}

function describeBad(part: Buffer): Error {
  const end = part.indexOf(HEAD_END);
  const shown = end < 0 ? '' : `${part.toString('latin1', STATUS_AT, STATUS_AT + OK_STATUS.length)} `;
  const from = end < 0 ? 0 : end + HEAD_END.length;
  return new Error(`unexpected answer: ${shown}${part.toString('latin1', from, from + SHOWN_BYTES)}`);
}
