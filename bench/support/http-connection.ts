import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const OK_STATUS = Buffer.from('200');
const STATUS_AT = 'HTTP/1.1 '.length;
/** In the answers of a server that does what the measurement is about, there are none of these. */
const BAD_MEMBERS = ['"error":', '"result":null'].map((text) => Buffer.from(text));
const READ_BYTES = 64 * 1024;
const SHOWN_BYTES = 200;

/**
 * One keep-alive connection with one request in flight. As little as a client can do: a load generator must cost less
 * than the server that it measures.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #received = 0;
  #length: number | undefined;

  /**
   * @param onAnswer a good answer has come whole
   * @param onFailure any answer but 200, an error, a null, or the connection is gone; it is of no use any more
   */
  constructor(
    address: { readonly host: string; readonly port: number },
    handlers: {
      readonly onConnect: () => void;
      readonly onAnswer: () => void;
      readonly onFailure: (error: Error) => void;
    },
  ) {
    const { onConnect, onAnswer, onFailure } = handlers;
    const fail = (error: Error): void => {
      this.close();
      onFailure(error);
    };
    const read = (bytes: number, buffer: Uint8Array): boolean => {
      const response = this.#read((buffer as Buffer).subarray(0, bytes));
      if (response === undefined) return true;
      if (isGood(response)) onAnswer();
      else fail(new Error(`unexpected answer: ${readStart(response)}`));
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

  /** @returns the response that `chunk` completes; it is overwritten by the next read */
  #read(chunk: Buffer): Buffer | undefined {
    this.#received += chunk.length;
    if (this.#parts.length === 0) {
      this.#length = measureResponse(chunk);
      if (this.#length === chunk.length) return this.#finish(chunk);
    }
    this.#parts.push(Buffer.from(chunk));
    this.#length ??= measureResponse(Buffer.concat(this.#parts));
    if (this.#length === undefined || this.#received < this.#length) return undefined;
    return this.#finish(Buffer.concat(this.#parts));
  }

  #finish(response: Buffer): Buffer {
    this.#parts = [];
    this.#received = 0;
    return response;
  }
}

/** Length of the response at the start of `bytes`, once its head is complete. */
function measureResponse(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return end + HEAD_END.length + Number(length);
}

function isGood(response: Buffer): boolean {
  const isOk = OK_STATUS.every((digit, i) => response[STATUS_AT + i] === digit);
  return isOk && !BAD_MEMBERS.some((text) => response.includes(text));
}

/** The status, and what the body begins with. */
function readStart(response: Buffer): string {
  const body = response.indexOf(HEAD_END) + HEAD_END.length;
  return `${response.toString('latin1', STATUS_AT, STATUS_AT + OK_STATUS.length)} ${response.toString('latin1', body, body + SHOWN_BYTES)}`;
}
