import type { NodeError } from '../node-call.ts';
import { cutText } from './cut-text.ts';
import { encodeErrorString, isAbiEncoded, parseRevertData } from './revert-data.ts';
import { parseRevertProse } from './revert-prose.ts';
import { unwrapError } from './unwrap-error.ts';
import { VM_ERROR_RULES } from './vm-error-rules.ts';

/** geth's code for a revert, which other clients have adopted. */
const REVERT_CODE = 3;
/** What comes with that code and no data but is none: hosted providers lacking a block, zkSync refusing a transaction. */
const NO_REVERT =
  /^(?:(?:unknown block|(?:block|header) not found)\.?$|(?:failed to submit transaction: )?(?:failed to validate the transaction|insufficient funds for gas)\b)/i;

/** UTF-16 units of a revert's reason that a node gives in words only: 1 ms. In bytes it is as long as the answer may be. */
const MAX_REASON_LENGTH = 65_536;

/** Parity and Nethermind up to 1.31: the message is always the same, `data` says in words what happened. */
const VM_ERROR = /^vm execution error\.?$/i;

/**
 * Revert data when the error says that the EVM reverted, undefined when it does not. In order: the code, bytes that can
 * be nothing else, and words last. A node that gives the reason in words only, with no data at all, gets it encoded as
 * `Error(string)`, so that clients decode it as from any other node; where it says that there is no data, there is none.
 *
 * Callers choose the bytes and the reason of a revert: they override code, and code composes any text. A mask over what equals a secret would
 * tell them that they have guessed it, so nothing is masked here; `maskRevertData` masks what nobody guesses.
 * @param text the beginning of the message
 * @param mask hides secrets in words of the node
 */
export function findRevert(
  error: NodeError,
  text: string,
  mask: (words: string) => string,
): string | undefined {
  const data = parseRevertData(error.data);
  const isEmpty = data === undefined || data === '0x';
  if (error.code === REVERT_CODE && !(isEmpty && NO_REVERT.test(text)))
    return data ?? readReason(error.message);
  if (data !== undefined && isAbiEncoded(data)) return data;
  if (VM_ERROR.test(text)) return data ?? readVmError(error.data, mask);
  return parseRevertProse(text) === undefined ? undefined : (data ?? readReason(error.message));
}

function readReason(message: string): string {
  return encodeReason(parseRevertProse(message.slice(0, MAX_REASON_LENGTH))?.reason ?? '');
}

/** The words in the data of a VM error: a halt that is known word for word is no revert, everything else is one. */
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
