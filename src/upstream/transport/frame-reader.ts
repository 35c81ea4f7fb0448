/** Takes what the frames of a WebSocket hold, in the order in which it came. */
export interface FrameSink {
  /** A part of the payload of a data message; its memory may be used again. */
  takePayload(piece: Buffer): void;
  /** A frame of the message has begun, with so many bytes of payload. */
  beginFrame(bytes: number): void;
  endMessage(): void;
  /** A ping or a pong. */
  takeControl(): void;
}

const FIN = 0x80;
const OPCODE_BITS = 0x0f;
/** Opcodes of close, ping and pong have this bit. */
const CONTROL = 0x08;
const CLOSE = 0x08;
/** The length is in the two or eight bytes behind the head. */
const MASKED = 0x80;
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;
const LONGEST_HEAD = 10;

/**
 * Finds the frames of a server (RFC 6455 5.2, not masked, without extensions) in the bytes of a socket. It only looks on: what is no frame is the
 * library's to refuse, and nothing is found behind it.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #head = Buffer.alloc(LONGEST_HEAD);
  #headBytes = 0;
  /** Bytes of the frame's payload that are still to come. */
  #left = 0;
  #isControl = false;
  #isLast = false;
  #isLost = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @throws what the sink throws */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isLost; ) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, chunk.length);
        this.#left -= end - at;
        if (!this.#isControl) this.#sink.takePayload(chunk.subarray(at, end));
        at = end;
        if (this.#left === 0) this.#endFrame();
        continue;
      }
      this.#head[this.#headBytes++] = chunk[at++] as number;
      if (this.#headBytes >= 2 && this.#headBytes === this.#countHead()) this.#beginFrame();
    }
  }

  #countHead(): number {
    switch (this.#head[1]) {
      case LENGTH_IN_16_BITS:
        return 4;
      case LENGTH_IN_64_BITS:
        return LONGEST_HEAD;
      default:
        return 2;
    }
  }

  #beginFrame(): void {
    const first = this.#head[0] as number;
    const second = this.#head[1] as number;
    this.#headBytes = 0;
    this.#isControl = (first & CONTROL) !== 0;
    this.#isLast = (first & FIN) !== 0;
    // What follows a close frame is not read by the library either.
    this.#isLost = second >= MASKED || (first & OPCODE_BITS) === CLOSE;
    if (this.#isLost) return;
    this.#left = this.#readLength(second);
    if (this.#isControl) this.#sink.takeControl();
    else this.#sink.beginFrame(this.#left);
    if (this.#left === 0) this.#endFrame();
  }

  #readLength(second: number): number {
    if (second === LENGTH_IN_16_BITS) return this.#head.readUInt16BE(2);
    return second === LENGTH_IN_64_BITS ? Number(this.#head.readBigUInt64BE(2)) : second;
  }

  #endFrame(): void {
    if (!this.#isControl && this.#isLast) this.#sink.endMessage();
  }
}
