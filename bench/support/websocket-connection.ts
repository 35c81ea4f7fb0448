import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type ConnectionHandlers, checkMembers } from './http-connection.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const SWITCHED = Buffer.from('HTTP/1.1 101');
const READ_BYTES = 64 * 1024;
const [TEXT, FINAL, MASKED] = [0x1, 0x80, 0x80];
const OPCODE_BITS = 0x0f;
/** RFC 6455 5.2: largest payload length that the second byte holds; markers of 16-bit and 64-bit lengths. */
const [MAX_SHORT, LENGTH_16, LENGTH_64] = [125, 126, 127];
const MASK_BYTES = 4;

/** Encodes a text message in one frame, masked as a client's must be: with a key of zeros, which leaves the bytes unchanged. */
export function encodeFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const isShort = payload.length <= MAX_SHORT;
  const head = Buffer.alloc((isShort ? 2 : 4) + MASK_BYTES);
  head[0] = FINAL | TEXT;
  head[1] = MASKED | (isShort ? payload.length : LENGTH_16);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** A WebSocket counterpart of `HttpConnection`: one message in flight, answers in one frame. */
export class WebSocketConnection {
  readonly #socket: Socket;
  readonly #onConnect: () => void;
  #isOpen = false;
  #pending: Buffer | undefined;

  constructor(
    { host, port, path }: { readonly host: string; readonly port: number; readonly path: string },
    { onConnect, onAnswer, onFailure }: ConnectionHandlers,
  ) {
    this.#onConnect = onConnect;
    const fail = (error: Error): void => {
      this.close();
      onFailure(error);
    };
    const read = (bytes: number, buffer: Uint8Array): boolean => {
      try {
        this.#read((buffer as Buffer).subarray(0, bytes), onAnswer);
      } catch (error) {
        fail(error as Error);
      }
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: read };
    this.#socket = connect({ host, port, noDelay: true, onread });
    const key = randomBytes(16).toString('base64');
    const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`;
    this.#socket.on('connect', () => {
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n\r\n`);
    });
    this.#socket.on('error', fail);
    this.#socket.on('close', () => fail(new Error('the server closed a connection')));
  }

  /** @param frame a frame made by `encodeFrame` */
  send(frame: Uint8Array): void {
    this.#socket.write(frame);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #read(piece: Buffer, onAnswer: () => void): void {
    let bytes = this.#pending === undefined ? piece : Buffer.concat([this.#pending, piece]);
    this.#pending = undefined;
    if (!this.#isOpen) {
      const end = bytes.indexOf(HEAD_END);
      if (end >= 0) {
        if (!bytes.subarray(0, SWITCHED.length).equals(SWITCHED)) {
          throw new Error(`no WebSocket: ${bytes.toString('latin1', 0, end)}`);
        }
        this.#isOpen = true;
        this.#onConnect();
        bytes = bytes.subarray(end + HEAD_END.length);
      }
    }
    while (this.#isOpen) {
      const frame = readFrame(bytes);
      if (frame === undefined) break;
      if (frame.opcode === TEXT) {
        checkMembers(frame.payload);
        onAnswer();
      }
      bytes = bytes.subarray(frame.length);
    }
    if (bytes.length > 0) this.#pending = Buffer.from(bytes);
  }
}

type Frame = { readonly opcode: number; readonly payload: Buffer; readonly length: number };

/** Returns the frame at the start of the bytes, undefined until it is complete. */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] as number;
  const start = short === LENGTH_16 ? 4 : short === LENGTH_64 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const size =
    short === LENGTH_16
      ? bytes.readUInt16BE(2)
      : short === LENGTH_64
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  const length = start + size;
  if (bytes.length < length) return undefined;
  return { opcode: (bytes[0] as number) & OPCODE_BITS, payload: bytes.subarray(start, length), length };
}
