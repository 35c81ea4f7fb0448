import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { NodeReply } from '../node-call.ts';
import type { ShapeBounds } from './answer-shape.ts';
import { MessagePieces, streamPieces } from './message-bytes.ts';
import { BUFFERED_BYTES, type ScannedMessage } from './message-gate.ts';
import { trimZeros } from './padded-quantities.ts';
import { findResult, isBlank, isErrorAnswer, malformed, readReply, skipBlank } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

const LIST_END = 0x5d;
const COMMA = 0x2c;

/** A complete message of a node: one answer or notification, or a list of answers. */
export type NodeMessage = {
  /** Bytes of the message, as pieces if the message is long. */
  readonly bytes: Buffer | MessagePieces;
  readonly isList: boolean;
  /** Scans of the answers in the message; at least one. */
  readonly scanners: readonly ReplyScanner[];
};

/**
 * Combines a message with its scan.
 * @param first bytes that the library has assembled
 * @param findShape returns the bounds of the answers if the message is a list, because lists are not scanned while they arrive
 * @returns undefined for a message that no node may send
 */
export function readMessage(
  first: Buffer,
  { scanner, isWhole, rest }: ScannedMessage,
  findShape: () => ShapeBounds,
  maxAnswers: number,
): NodeMessage | undefined {
  if (!isWhole) return undefined;
  const bytes = rest === undefined ? first : new MessagePieces([first, ...rest]);
  if (scanner !== undefined) return { bytes, isList: false, scanners: [scanner] };
  try {
    // A list is read in one piece: it is at most as long as the answer to a batch.
    const whole = bytes.subarray(0);
    return { bytes: whole, isList: true, scanners: scanList(whole, findShape(), maxAnswers) };
  } catch {
    return undefined;
  }
}

/** @throws UpstreamFault if the message is not a list of answers, or has more than `maxAnswers` */
function scanList(bytes: Buffer, shape: ShapeBounds, maxAnswers: number): ReplyScanner[] {
  const scanners: ReplyScanner[] = [];
  let at = skipBlank(bytes, 0);
  do {
    if (scanners.length === maxAnswers) throw malformed('the list has too many answers');
    const scanner = new ReplyScanner(shape);
    at = skipBlank(bytes, scanner.push(bytes, at + 1));
    if (!scanner.isDone) throw malformed('the answer ends too early');
    scanners.push(scanner);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== LIST_END || !isBlank(bytes, at + 1)) throw malformed('the message is not a list');
  return scanners;
}

/**
 * Reads the reply to one call from a message. A long result is returned as a stream over the bytes of the message.
 * @param streamBytes size above which a result is returned as a stream, bytes
 * @throws UpstreamFault `malformed` if the message is a list or not a JSON-RPC answer
 */
export function readSingleReply(
  { bytes, isList, scanners }: NodeMessage,
  streamBytes: number,
): PromiseOrValue<NodeReply> {
  const [scanner] = scanners;
  if (isList || scanner === undefined) throw malformed('the node answered one call with a list');
  if (!isErrorAnswer(scanner)) {
    const { start, end = start } = findResult(scanner);
    const isLong = bytes instanceof MessagePieces;
    if (end - start > (isLong ? Math.min(streamBytes, BUFFERED_BYTES) : streamBytes)) {
      const { zeros } = scanner.padding;
      const result = isLong
        ? bytes.stream(start, end, zeros)
        : streamPieces([trimZeros(bytes.subarray(start, end), start, zeros)]);
      return { kind: 'result', result };
    }
  }
  return readReply(scanner, bytes);
}
