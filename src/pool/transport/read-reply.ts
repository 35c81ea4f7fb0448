import { isAscii } from 'node:buffer';
import { parseInSlices } from '../../../packages/ethereum/primitives/parse-in-slices.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { UpstreamFault } from '../fault.ts';
import type { NodeError, NodeReply } from '../node-call.ts';
import { ERROR_BYTES, ERROR_SHAPE, excessive } from './answer-shape.ts';
import { readInSlots } from './answer-slots.ts';
import type { AnswerBytes } from './message-bytes.ts';
import { trimZeros } from './padded-quantities.ts';
import type { ReplyScanner, ScannedMember } from './reply-scanner.ts';

/**
 * Maximum length of an error message that is read, UTF-16 units. The rest of a longer message is dropped, because matching every rule against it
 * would take long.
 */
const MAX_MESSAGE = 16_384;
/** Code that replaces a missing or non-numeric error code: geth's generic code. */
const DEFAULT_CODE = -32000;
/**
 * Maximum size of an error that is parsed in one step, bytes; parsing takes less than a millisecond. A long string in `data` is not parsed, so its
 * size does not count.
 */
const SHORT_ERROR_BYTES = 64 * 1024;
const DATA_NAME = '"data"';
/** Text that replaces a long `data` while the rest of the error is parsed. */
const CUT_DATA = 'data that is not parsed';
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether the scanned part of an answer has an error and no result. A null member counts as absent, as in JSON-RPC 1.
 * @throws UpstreamFault if the answer has both a result and an error
 */
export function isErrorAnswer(scanner: ReplyScanner): boolean {
  const { result, error } = scanner;
  if (error === undefined || error.isNull) return false;
  if (result !== undefined && !result.isNull) throw malformed('the answer has both a result and an error');
  return true;
}

/**
 * Checks that an answer has the id of the call. An error without an id is accepted, because the node may not have been able to read the id.
 * @throws UpstreamFault if the answer belongs to another call
 */
export function checkId(scanner: ReplyScanner, id: string): void {
  if (scanner.id === id) return;
  if (isAnonymousError(scanner)) return;
  throw malformed('the answer has another id than the request');
}

/** Whether an answer is an error that names no request. */
export function isAnonymousError(scanner: ReplyScanner): boolean {
  return (scanner.id === undefined || scanner.id === 'null') && isErrorAnswer(scanner);
}

/**
 * Returns the result of a complete answer.
 * @throws UpstreamFault if the answer has no result
 */
export function findResult(scanner: ReplyScanner): ScannedMember {
  if (scanner.result === undefined) throw malformed('the answer has neither a result nor an error');
  return scanner.result;
}

/**
 * Reads the reply of a complete answer, with the result as text. A long error is read in scheduler slots.
 * @throws UpstreamFault if the answer is not JSON-RPC, synchronously or by rejection
 */
export function readReply(scanner: ReplyScanner, bytes: AnswerBytes): PromiseOrValue<NodeReply> {
  if (!isErrorAnswer(scanner)) return readResult(scanner, bytes);
  const { start, end = bytes.length } = scanner.error as ScannedMember;
  return readInSlots(end - start, readReplyInSlices(scanner, bytes));
}

/**
 * Reads the reply of a complete answer, with pauses.
 * @throws UpstreamFault if the answer is not JSON-RPC
 */
export function* readReplyInSlices(
  scanner: ReplyScanner,
  bytes: AnswerBytes,
): Generator<undefined, NodeReply> {
  if (!isErrorAnswer(scanner)) return readResult(scanner, bytes);
  return { kind: 'error', error: yield* readErrorInSlices(scanner, bytes) };
}

function readResult(scanner: ReplyScanner, bytes: AnswerBytes): NodeReply {
  const { start, end } = findResult(scanner);
  const result = trimZeros(bytes.subarray(start, end), start, scanner.padding.zeros);
  return { kind: 'result', result: result.toString('utf8') };
}

/** Matches an error code that a node writes as a string. */
const CODE_TEXT = /^-?\d{1,10}$/;

/**
 * Reads the error object of a complete answer, with pauses. Some nodes omit the code or the message, or write the code as a string. A code or message
 * that is missing or not usable is replaced by a default.
 * @throws UpstreamFault `excessive` if the error is longer than any error needs; `malformed` if the code is a number but not a safe integer, or if
 * code or message has another type
 */
export function* readErrorInSlices(
  scanner: ReplyScanner,
  bytes: AnswerBytes,
): Generator<undefined, NodeError> {
  const member = scanner.error as ScannedMember;
  if (member.values > ERROR_SHAPE.values) throw excessive('values of an error');
  if ((member.end ?? bytes.length) - member.start > ERROR_BYTES) throw excessive('bytes of an error');
  const error = yield* parseError(bytes.subarray(member.start, member.end));
  if (typeof error !== 'object' || error === null || Array.isArray(error)) {
    throw malformed('the error of the answer is not an object');
  }
  const { code, message, data } = error as Readonly<Record<string, unknown>>;
  return { code: readCode(code), message: readMessage(message), data };
}

function readCode(code: unknown): number {
  if (code === undefined || code === null) return DEFAULT_CODE;
  if (typeof code === 'string') return CODE_TEXT.test(code) ? Number(code) : DEFAULT_CODE;
  if (!Number.isSafeInteger(code)) throw malformed('the error code is not an integer');
  return code as number;
}

function readMessage(message: unknown): string {
  if (message === undefined || message === null) return '';
  if (typeof message !== 'string') throw malformed('the error message is not a string');
  return message.length > MAX_MESSAGE ? message.slice(0, MAX_MESSAGE) : message;
}

/** Parses the bytes of an error, with pauses if they are long. @param bytes validated JSON with few values */
function* parseError(bytes: Buffer): Generator<undefined, unknown> {
  if (bytes.length <= SHORT_ERROR_BYTES) return JSON.parse(bytes.toString('utf8'));
  return parseWithoutData(bytes) ?? (yield* parseInSlices(yield* decodeInSlices(bytes)));
}

function* decodeInSlices(bytes: Buffer): Generator<undefined, string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += SHORT_ERROR_BYTES) {
    texts.push(decoder.decode(bytes.subarray(at, at + SHORT_ERROR_BYTES), { stream: true }));
    yield;
  }
  return texts.join('');
}

/**
 * Parses an error whose `data` is one long string without escapes, and copies the string without parsing it. Parsing the whole string would take tens
 * of milliseconds.
 * @param bytes validated JSON object
 * @returns undefined if the error must be parsed as a whole
 */
function parseWithoutData(bytes: Buffer): object | undefined {
  const name = bytes.indexOf(DATA_NAME);
  const colon = skipBlank(bytes, name + DATA_NAME.length);
  const quote = skipBlank(bytes, colon + 1);
  if (name < 0 || bytes[colon] !== COLON || bytes[quote] !== QUOTE) return undefined;
  const text = bytes.subarray(quote + 1, bytes.indexOf(QUOTE, quote + 1));
  if (bytes.length - text.length > SHORT_ERROR_BYTES || text.includes(BACKSLASH) || !isAscii(text))
    return undefined;
  const before = bytes.toString('utf8', 0, quote + 1);
  const after = bytes.toString('utf8', quote + 1 + text.length);
  if (before.includes(CUT_DATA) || after.includes(CUT_DATA)) return undefined;
  const error = JSON.parse(`${before}${CUT_DATA}${after}`) as { readonly data?: unknown };
  return error.data === CUT_DATA ? { ...error, data: text.toString('latin1') } : undefined;
}

/** Returns the position of the first byte at or after `from` that is not white space. */
export function skipBlank(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** Whether only white space follows from position `from` on. */
export function isBlank(bytes: Buffer, from: number): boolean {
  return skipBlank(bytes, from) === bytes.length;
}

export function malformed(message: string): UpstreamFault {
  return new UpstreamFault('malformed', message);
}
