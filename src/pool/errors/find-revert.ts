import type { NodeError } from '../node-call.ts';
import { cutText, MAX_SCRUBBED_LENGTH } from './cut-text.ts';
import {
  encodeErrorString,
  isAbiEncoded,
  NESTED_FIELDS,
  parseBareRevertData,
  parseRevertData,
} from './revert-data.ts';
import { parseRevertProse } from './revert-prose.ts';
import { unwrapError } from './unwrap-error.ts';
import { VM_ERROR_RULES } from './vm-error-rules.ts';

/** Code of geth for a revert, which other clients have adopted. */
const REVERT_CODE = 3;
/** Messages of errors that have code 3 and no data, but are not reverts: a hosted provider lacks a block, or zkSync refuses a transaction. */
const NO_REVERT =
  /^(?:(?:unknown block|(?:block|header) not found)\.?$|(?:failed to submit transaction: )?(?:failed to validate the transaction|insufficient funds for gas)\b)/i;

/**
 * Maximum length of a revert reason that is only in the message, UTF-16 units; reading it takes 1 ms. A reason in `data` is bounded only by the size
 * of the answer.
 */
const MAX_REASON_LENGTH = 65_536;

/**
 * Matches the message of Parity, and of Nethermind up to 1.31. The message is the same for every failure; the text in `data` describes the failure.
 */
const VM_ERROR = /^vm execution error\.?$/i;
/** Matches OpenEthereum's messages for any failed execution; `data` shows whether it was a revert. */
const FAILED_EXECUTION = /^(?:transaction execution error|the execution failed due to an exception)\.?$/i;

/** Maximum number of nesting levels of errors that are searched for a revert. */
const MAX_NESTED = 3;

/**
 * Returns revert data if the error reports that the EVM reverted, otherwise undefined. The code is checked first, then bytes that can only be revert
 * data, then the message. A reason that is only in the message is encoded as `Error(string)`, so that clients can decode it like a reason in `data`.
 * Empty revert data that a node reports stays empty. Callers can choose the bytes and the reason of a revert, for example by overriding the code of
 * an account. A mask over a text that equals a secret would confirm a caller's guess, so nothing is masked here. `maskRevertData` masks only secrets
 * that cannot be guessed.
 * @param text beginning of the message
 * @param mask hides secrets in texts of the node
 * @param nested number of nesting levels of inner errors that are examined
 */
export function findRevert(
  error: NodeError,
  text: string,
  mask: (words: string) => string,
  nested: number = MAX_NESTED,
): string | undefined {
  const data = parseRevertData(error.data);
  const isEmpty = data === undefined || data === '0x';
  if (error.code === REVERT_CODE && !(isEmpty && NO_REVERT.test(text)))
    return data ?? parseBareRevertData(error.data) ?? readReason(error.message);
  if (data !== undefined && isAbiEncoded(data)) return data;
  if (VM_ERROR.test(text)) return data ?? readVmError(error.data, mask);
  if (parseRevertProse(text) !== undefined)
    return data ?? parseBareRevertData(error.data) ?? readReason(error.message);
  if (FAILED_EXECUTION.test(text)) return readFailedExecution(error.data);
  return nested === 0 ? undefined : findNested(error.data, mask, nested - 1);
}

/** Finds a revert in an error that is nested in `data`. */
function findNested(data: unknown, mask: (words: string) => string, nested: number): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const members = data as Readonly<Record<string, unknown>>;
  for (const holder of [data, ...[...NESTED_FIELDS].map((field) => members[field])]) {
    const error = readNestedError(holder);
    if (error === undefined) continue;
    const text = cutText(mask(cutText(error.message, MAX_SCRUBBED_LENGTH)));
    const revert = findRevert(error, text, mask, nested);
    if (revert !== undefined) return revert;
  }
  return undefined;
}

function readNestedError(value: unknown): NodeError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message, data } = value as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') return undefined;
  return { code: typeof code === 'number' ? code : 0, message, data };
}

function readReason(message: string): string {
  const words = parseRevertProse(message.slice(0, MAX_REASON_LENGTH));
  return words?.data ?? encodeReason(words?.reason ?? '');
}

/** Reads OpenEthereum's `data`. `Reverted`, optionally followed by a reason or bytes, is a revert; any other text describes a halt. */
function readFailedExecution(data: unknown): string | undefined {
  if (typeof data !== 'string' || parseRevertProse(unwrapError(data)) === undefined) return undefined;
  return parseRevertData(data) ?? readReason(data);
}

/** Reads the text in the `data` of a VM error. A text that exactly matches a known halt is not a revert; any other text is one. */
function readVmError(data: unknown, mask: (words: string) => string): string | undefined {
  if (typeof data !== 'string') return '0x';
  const said = unwrapError(data);
  const bytes = parseRevertData(said);
  if (bytes !== undefined) return bytes;
  const begin = said.slice(0, MAX_REASON_LENGTH);
  if (parseRevertProse(begin) !== undefined) return readReason(begin);
  const inner = mask(begin);
  const words = cutText(inner);
  const isHalt = VM_ERROR_RULES.some(({ pattern }) => pattern.test(words));
  return isHalt ? undefined : encodeReason(inner);
}

function encodeReason(reason: string): string {
  return reason === '' ? '0x' : encodeErrorString(reason);
}
