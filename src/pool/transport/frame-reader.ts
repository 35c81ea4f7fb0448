/** Receiver of the contents of WebSocket frames, in order of arrival. */
export interface FrameSink {
  /** Takes a part of the payload of a data message. */
  takePayload(piece: Buffer): void;
  /**
   * Begins a frame of the message, with `bytes` bytes of payload.
   * @returns whether the sink takes over the payload of the frame, and of all later frames of the message
   */
  beginFrame(bytes: number): boolean;
  endMessage(): void;
  /** Counts a ping or a pong. */
  takeControl(): void;
}

const FIN = 0x80;
const OPCODE_BITS = 0x0f;
/** Bit that is set in the opcodes of close, ping and pong. */
const CONTROL = 0x08;
const CLOSE = 0x08;
/** Values of the second byte of a frame. From `MASKED` on, the frame is masked; for 126 and 127, the length is in the next two or eight bytes. */
const MASKED = 0x80;
const LENGTH_IN_16_BITS = 126;
const LENGTH_IN_64_BITS = 127;
const LONGEST_HEAD = 10;
/** Empty continuation frame with FIN, which ends a message. */
const END = Buffer.of(FIN, 0);

/**
 * Maximum number of messages that are scanned before the WebSocket library gets them. One read may contain a thousand short messages, and the first
 * may already be a reason to stop reading.
 */
const MESSAGES_AT_ONCE = 16;

/**
 * Passes bytes to the WebSocket library, which assembles messages from frames.
 * @throws the error that ends the connection; nothing is read after it
 */
export type PassOn = (bytes: Buffer) => void;

/**
 * Finds the frames of a server (RFC 6455 5.2, not masked, without extensions) in the bytes of a socket, and passes the bytes to the WebSocket
 * library. The library rejects invalid frames; frames after an invalid one are not searched. If the sink takes over the payload of a frame, the
 * library gets the frame without payload. The library then checks the frame head and ends the message, but has nothing to assemble.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #head = Buffer.alloc(LONGEST_HEAD);
  #headBytes = 0;
  /** Number of payload bytes of the frame that have not arrived. */
  #left = 0;
  #isControl = false;
  #isLast = false;
  #isLost = false;
  /** Whether the sink takes over the payload of the frame. */
  #isKept = false;
  /** Whether the sink takes over the current message. */
  #keepsMessage = false;
  /**
   * Bytes of an incomplete frame head in earlier chunks. The bytes of a frame head are passed on when it is known whether the sink takes over the
   * payload of the frame.
   */
  #headBefore = 0;
  /** Number of messages whose last bytes are not passed to the library yet. */
  #ended = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @throws errors of the sink and of `pass` */
  push(chunk: Buffer, pass: PassOn): void {
    /** Start of the bytes that are not passed to the library yet. */
    let from = 0;
    let at = 0;
    while (at < chunk.length && !this.#isLost) {
      if (this.#ended === MESSAGES_AT_ONCE) {
        this.#ended = 0;
        if (at > from) pass(chunk.subarray(from, at));
        from = at;
      }
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, chunk.length);
        this.#left -= end - at;
        if (!this.#isControl) this.#sink.takePayload(chunk.subarray(at, end));
        at = end;
        if (this.#isKept) from = end;
        if (this.#left === 0) this.#endFrame(pass);
        continue;
      }
      this.#head[this.#headBytes++] = chunk[at++] as number;
      if (this.#headBytes < 2 || this.#headBytes < this.#countHead()) continue;
      const before = this.#headBefore;
      const start = at - this.#headBytes + before;
      this.#beginFrame();
      if (!this.#isKept) {
        if (before > 0) pass(Buffer.from(this.#head.subarray(0, before)));
      } else {
        if (start > from) pass(chunk.subarray(from, start));
        from = at;
        this.#passEmpty(pass);
      }
      if (this.#left === 0 && !this.#isLost) this.#endFrame(pass);
    }
    this.#ended = 0;
    this.#headBefore = this.#headBytes;
    const end = Math.max(chunk.length - this.#headBytes, from);
    if (end > from) pass(from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end));
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
    this.#headBefore = 0;
    this.#isKept = false;
    this.#isControl = (first & CONTROL) !== 0;
    this.#isLast = (first & FIN) !== 0;
    // Bytes after a masked frame or a close frame are not searched for frames, because the library does not process these bytes.
    this.#isLost = second >= MASKED || (first & OPCODE_BITS) === CLOSE;
    if (this.#isLost) return;
    this.#left = this.#readLength(second);
    if (this.#isControl) this.#sink.takeControl();
    else this.#isKept = this.#sink.beginFrame(this.#left);
  }

  /**
   * Passes on the head of a frame whose payload the sink takes over, without payload and without FIN. Later continuation frames without reserved bits
   * are not passed on, because the library does not need their heads.
   */
  #passEmpty(pass: PassOn): void {
    const first = (this.#head[0] as number) & ~FIN;
    if (!this.#keepsMessage || first !== 0) pass(Buffer.of(first, 0));
    this.#keepsMessage = true;
  }

  #readLength(second: number): number {
    if (second === LENGTH_IN_16_BITS) return this.#head.readUInt16BE(2);
    return second === LENGTH_IN_64_BITS ? Number(this.#head.readBigUInt64BE(2)) : second;
  }

  #endFrame(pass: PassOn): void {
    if (this.#isControl || !this.#isLast) return;
    this.#sink.endMessage();
    this.#ended++;
    if (!this.#keepsMessage) return;
    this.#keepsMessage = false;
    pass(END);
  }
}
