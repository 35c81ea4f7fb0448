import type { NodeReply } from '../node-call.ts';
import { findResult, isBlank, isErrorAnswer, malformed, readReply, skipBlank } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';
import { createBytesStream } from './result-stream.ts';

const LIST_BEGIN = 0x5b;
const LIST_END = 0x5d;
const COMMA = 0x2c;

/** A complete message of a node: one answer or notification, or a list of answers. */
export type Message = {
  readonly bytes: Buffer;
  readonly isList: boolean;
  /** At least one. */
  readonly scanners: readonly ReplyScanner[];
};

/**
 * Reads a message. `onBroken` learns the id of an answer that had named its call before it turned out to be broken.
 * @returns undefined when it is nothing that a node may send
 */
export function readMessage(
  bytes: Buffer,
  maxAnswers: number,
  onBroken: (id: string) => void,
): Message | undefined {
  if (bytes[skipBlank(bytes, 0)] === LIST_BEGIN) {
    try {
      return { bytes, isList: true, scanners: scanList(bytes, maxAnswers) };
    } catch {
      return undefined;
    }
  }
  const scanner = new ReplyScanner();
  try {
    const at = scanner.push(bytes);
    if (!scanner.isDone || !isBlank(bytes, at)) throw malformed('the message is no answer');
    return { bytes, isList: false, scanners: [scanner] };
  } catch {
    if (scanner.id !== undefined) onBroken(scanner.id);
    return undefined;
  }
}

/** @throws UpstreamFault when it is no list of answers, or one of more than `maxAnswers` */
function scanList(bytes: Buffer, maxAnswers: number): ReplyScanner[] {
  const scanners: ReplyScanner[] = [];
  let at = skipBlank(bytes, 0);
  do {
    if (scanners.length === maxAnswers) throw malformed('the list has too many answers');
    const scanner = new ReplyScanner();
    at = skipBlank(bytes, scanner.push(bytes, at + 1));
    if (!scanner.isDone) throw malformed('the answer ends too early');
    scanners.push(scanner);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== LIST_END || !isBlank(bytes, at + 1)) throw malformed('the message is no list');
  return scanners;
}

/** The reply in a message that answers one call: a long result as a stream over the message's bytes. */
export function readSingleReply({ bytes, isList, scanners }: Message, streamBytes: number): NodeReply {
  const [scanner] = scanners;
  if (isList || scanner === undefined) throw malformed('the node answers one call with a list');
  if (!isErrorAnswer(scanner)) {
    const { start, end = start } = findResult(scanner);
    if (end - start > streamBytes) {
      return { kind: 'result', result: createBytesStream(bytes.subarray(start, end)) };
    }
  }
  return readReply(scanner, bytes);
}
