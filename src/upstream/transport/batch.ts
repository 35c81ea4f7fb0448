import type { NodeReply } from '../node-call.ts';
import { isAnonymousError, isBlank, isErrorAnswer, malformed, readReply, skipBlank } from './read-reply.ts';
import { ReplyScanner } from './reply-scanner.ts';

const LIST_BEGIN = 0x5b;
const LIST_END = 0x5d;
const COMMA = 0x2c;
const OBJECT_BEGIN = 0x7b;

/**
 * Reads a complete answer to a batch: a list of answers, or a single one where the node refuses the batch as a whole.
 * @throws UpstreamFault when it is neither or has more than `maxAnswers`
 */
export function scanBatch(body: Buffer, maxAnswers: number): ReplyScanner[] {
  const scanners: ReplyScanner[] = [];
  const scanOne = (from: number): number => {
    if (scanners.length === maxAnswers) throw malformed('the batch has more answers than calls');
    const scanner = new ReplyScanner();
    const at = scanner.push(body, from);
    if (!scanner.isDone) throw malformed('the answer ends too early');
    scanners.push(scanner);
    return at;
  };
  let at = skipBlank(body, 0);
  if (body[at] === OBJECT_BEGIN) {
    at = scanOne(at);
  } else {
    if (body[at] !== LIST_BEGIN) throw malformed('the answer is no batch');
    do {
      at = skipBlank(body, scanOne(at + 1));
    } while (body[at] === COMMA);
    if (body[at] !== LIST_END) throw malformed('the answer is no batch');
    at++;
  }
  if (!isBlank(body, at)) throw malformed('something follows the answer');
  return scanners;
}

/**
 * Replies in the order of `ids`. A lone error is the reply to every call (geth puts the first call's id into it when
 * it refuses a batch as too large).
 * @throws UpstreamFault when a call has no reply or more than one
 */
export function matchBatch(
  body: Buffer,
  scanners: readonly ReplyScanner[],
  ids: readonly string[],
): NodeReply[] {
  const [first] = scanners;
  if (first !== undefined && scanners.length === 1 && isRefusalOf(first, ids)) {
    const reply = readReply(first, body);
    return ids.map(() => reply);
  }
  const byId = new Map(scanners.map((scanner) => [scanner.id, scanner]));
  if (byId.size !== scanners.length || scanners.length !== ids.length) {
    throw malformed('the batch has not one answer for each call');
  }
  return ids.map((id) => {
    const scanner = byId.get(id);
    if (scanner === undefined) throw malformed('the batch has not one answer for each call');
    return readReply(scanner, body);
  });
}

function isRefusalOf(scanner: ReplyScanner, ids: readonly string[]): boolean {
  return isAnonymousError(scanner) || (isErrorAnswer(scanner) && ids.includes(scanner.id ?? ''));
}
