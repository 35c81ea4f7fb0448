import type { AnswerMemory } from '../../util/answer-memory.ts';
import { TokenBucket } from '../../util/token-bucket.ts';
import { UpstreamFault } from '../fault.ts';
import { type AnswerBounds, NOTIFICATION } from './answer-bounds.ts';
import { excessive, UNPARSED_SHAPE } from './answer-shape.ts';
import { COUNTED_FROM, outOfMemory } from './buffered-pieces.ts';
import { FrameReader, type FrameSink, type PassOn } from './frame-reader.ts';
import { PieceList } from './piece-list.ts';
import { skipBlank } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

const LIST_BEGIN = 0x5b;
/** Allowed number of frames of one message; one more is allowed per `BYTES_PER_FRAME` bytes. geth sends frames of a kilobyte. */
const FRAMES = 64;
const BYTES_PER_FRAME = 128;
/**
 * Maximum length of a message that the WebSocket library assembles, bytes. If a frame makes a message longer than this bound, the rest of the message
 * is stored in pieces. The library takes 0.9 ms per megabyte to assemble a message, mostly to allocate memory.
 */
export const BUFFERED_BYTES: number = 1024 * 1024;
/** Rate limit of pings and pongs from a node, per connection. A node normally answers one ping of this service every 15 s. */
const CONTROL_FRAMES = { capacity: 100, perSecond: 10 };
/** Rate limit of messages that answer no request and belong to no subscription. */
const UNASKED = { capacity: 64, perSecond: 1 };
/** Size of unrequested messages that costs as much of the rate limit as one message, bytes. */
const UNSOLICITED_BYTES = 16_384;

/**
 * Bounds of a message of at most 4,096 bytes until its id has arrived. Parsing such a message takes nearly no time, whatever it contains, and most
 * messages are not longer. When the id has arrived, the bounds of the call that the message answers apply.
 */
const SHORT: AnswerBounds = { ...UNPARSED_SHAPE, trimsZeros: true, bytes: 4_096, isFixed: true };

/** Bounds of the answers that a connection expects. */
export interface Expectations {
  /** Returns the bounds of the answer with this id; undefined if no waiting or recently abandoned call has this id. */
  boundsOf(id: string): AnswerBounds | undefined;
  /** Bounds that admit every expected answer. */
  readonly loosest: AnswerBounds;
  /** Bounds that admit every expected list of answers. */
  readonly listBounds: AnswerBounds;
  /** Fails the call with this id because its answer is too large; the fault also ends the connection. */
  fail(id: string, fault: UpstreamFault): void;
}

/** One message whose bytes have all been scanned. */
export type ScannedMessage = {
  /** Scan of the message; undefined if the message is a list. */
  readonly scanner: ReplyScanner | undefined;
  /** Whether the message is one complete JSON object without other text, or begins as a list. */
  readonly isWhole: boolean;
  readonly bytes: number;
  /** Payload that the gate has stored instead of passing it to the library; undefined if the library has the whole payload. */
  readonly rest: Iterable<Uint8Array> | undefined;
};

/** State of the message that is arriving. */
type OpenMessage = {
  scanner: ReplyScanner | undefined;
  isWhole: boolean;
  hasBegun: boolean;
  /** Bounds that apply to the message: `SHORT` or the loosest bounds until its id is known, then the bounds of the call that it answers. */
  bounds: AnswerBounds;
  isNamed: boolean;
  bytes: number;
  frames: number;
  cached: PieceList | undefined;
};

/**
 * Scans every byte that a node sends over a WebSocket before the WebSocket library gets it. Messages are limited in size, structure and frames while
 * they arrive, by the bounds of the expected answers. Long messages are stored in pieces.
 */
export class MessageGate implements FrameSink {
  readonly #frames = new FrameReader(this);
  readonly #expected: Expectations;
  readonly #memory: () => AnswerMemory;
  readonly #answerBytes: number;
  readonly #controls = new TokenBucket(CONTROL_FRAMES);
  readonly #unsolicited = new TokenBucket(UNASKED);
  /** Complete messages that the library has not emitted yet. */
  readonly #scanned: { readonly message: ScannedMessage; readonly reserved: AnswerMemory | undefined }[] = [];
  #open: OpenMessage | undefined;
  #reserved: AnswerMemory | undefined;

  /**
   * @param memory opens a reservation of memory for a message
   * @param answerBytes maximum bytes of any message, in addition to the bounds of expected answers
   */
  constructor(expected: Expectations, memory: () => AnswerMemory, answerBytes: number) {
    this.#expected = expected;
    this.#memory = memory;
    this.#answerBytes = answerBytes;
  }

  /**
   * Scans received bytes, and passes them on to the library.
   * @throws UpstreamFault that ends the connection
   */
  push(chunk: Buffer, pass: PassOn): void {
    this.#frames.push(chunk, pass);
  }

  /** Returns the scan of the message that the library emits next. The memory of the message remains reserved until `release`. */
  take(): { readonly message: ScannedMessage; readonly release: () => void } | undefined {
    const next = this.#scanned.shift();
    return next && { message: next.message, release: () => next.reserved?.release() };
  }

  /** Releases the memory of messages that will not be emitted. */
  close(): void {
    for (const { reserved } of this.#scanned.splice(0)) reserved?.release();
    this.#reserved?.release();
    this.#reserved = undefined;
  }

  /**
   * Counts a message of `bytes` bytes that answers no request and belongs to no subscription.
   * @throws UpstreamFault if there are too many messages that were not requested
   */
  countUnsolicited(bytes: number): void {
    if (!this.#unsolicited.tryTake(1 + bytes / UNSOLICITED_BYTES))
      throw excessive('messages that were not asked for');
  }

  takeControl(): void {
    if (!this.#controls.tryTake()) throw excessive('pings and pongs');
  }

  beginFrame(bytes: number): boolean {
    this.#open ??= this.#beginMessage();
    const open = this.#open;
    open.frames++;
    if (open.bounds === SHORT && open.bytes + bytes > SHORT.bytes) {
      open.bounds = this.#expected.loosest;
      open.scanner?.narrow(open.bounds);
    }
    if (open.frames > FRAMES + open.bytes / BYTES_PER_FRAME) throw excessive('frames of a message');
    this.#checkBytes(open, open.bytes + bytes);
    if (open.bytes + bytes > BUFFERED_BYTES) open.cached ??= new PieceList();
    return open.cached !== undefined;
  }

  takePayload(piece: Buffer): void {
    const open = this.#open as OpenMessage;
    open.bytes += piece.length;
    this.#scan(open, piece);
    this.#name(open);
    this.#checkBytes(open, open.bytes);
    if (open.bytes > COUNTED_FROM) this.#hold(open.bytes, piece.length);
    if (open.isWhole) open.cached?.push(piece);
  }

  endMessage(): void {
    const { scanner, isWhole, hasBegun, bytes, cached } = this.#open as OpenMessage;
    const isList = hasBegun && scanner === undefined;
    const message = {
      scanner,
      isWhole: isWhole && (isList || scanner?.isDone === true),
      bytes,
      rest: cached,
    };
    this.#scanned.push({ message, reserved: this.#reserved });
    this.#open = undefined;
    this.#reserved = undefined;
  }

  #beginMessage(): OpenMessage {
    return {
      scanner: undefined,
      isWhole: true,
      hasBegun: false,
      bounds: SHORT,
      isNamed: false,
      bytes: 0,
      frames: 0,
      cached: undefined,
    };
  }

  #scan(open: OpenMessage, piece: Buffer): void {
    let from = 0;
    if (!open.hasBegun) {
      from = skipBlank(piece, 0);
      if (from === piece.length) return;
      open.hasBegun = true;
      if (piece[from] === LIST_BEGIN) open.bounds = this.#expected.listBounds;
      else open.scanner = new ReplyScanner(open.bounds);
    }
    if (open.scanner === undefined || !open.isWhole) return;
    try {
      const at = open.scanner.isDone ? from : open.scanner.push(piece, from);
      if (open.scanner.isDone && skipBlank(piece, at) < piece.length) open.isWhole = false;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.kind === 'excessive') throw error;
      open.isWhole = false;
    }
  }

  /** Applies the bounds of the message's own call once its id is known. */
  #name(open: OpenMessage): void {
    const id = open.scanner?.id;
    if (open.isNamed || id === undefined) return;
    open.isNamed = true;
    open.bounds = this.#expected.boundsOf(id) ?? NOTIFICATION;
    open.scanner?.narrow(open.bounds);
  }

  #checkBytes({ bounds, isNamed, scanner }: OpenMessage, bytes: number): void {
    if (bytes <= Math.min(bounds.bytes, this.#answerBytes)) return;
    if (bounds.isFixed && bytes > bounds.bytes) throw excessive('bytes');
    const fault = new UpstreamFault('tooLarge', 'the answer exceeds the bound on its size');
    if (isNamed) this.#expected.fail(scanner?.id ?? '', fault);
    throw fault;
  }

  /**
   * Reserves memory for the message.
   * @param all number of bytes of the message that have arrived
   * @param added number of bytes of the last piece
   */
  #hold(all: number, added: number): void {
    const isFirst = this.#reserved === undefined;
    this.#reserved ??= this.#memory();
    if (!this.#reserved.hold(isFirst ? all : added)) throw outOfMemory();
  }
}
