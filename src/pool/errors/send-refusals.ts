import { ChainError } from '../../chain/errors.ts';
import type { NodeError } from '../node-call.ts';
import { isSending } from './methods.ts';
import { readSendWords, type SendVerdict } from './node-words.ts';
import { scrubMessage } from './scrub-message.ts';

/** Refusal of a transaction by a node, possibly because the node already has the transaction. */
export class SendRefusal extends ChainError {
  readonly verdict: SendVerdict;
  /**
   * Whether the message is in the table of `node-words.ts`. A refusal with a known message takes precedence over a refusal with an unknown message.
   */
  readonly isKnown: boolean;

  constructor(verdict: SendVerdict, message: string, isKnown: boolean) {
    super('failed', message);
    this.verdict = verdict;
    this.isKnown = isKnown;
  }
}

/** JSON-RPC `internal error`, which has no information about the transaction. */
const INTERNAL_ERROR = -32603;

/** Finds a refusal by a known text in the message or in `data`, for any error code. */
export function findSendRefusal(
  { message, data }: NodeError,
  method: string,
  secrets: readonly string[],
): SendRefusal | undefined {
  if (!isSending(method)) return undefined;
  for (const said of [message, data, Object(data).message]) {
    const words = typeof said === 'string' ? readSendWords(scrubMessage(said, secrets)) : undefined;
    if (words !== undefined) return new SendRefusal(words.verdict, words.message, true);
  }
  return undefined;
}

/** Converts an unknown error to a refusal with the node's message, unless its code means an internal failure of the node. */
export function guessSendRefusal(
  { code }: NodeError,
  method: string,
  message: string,
): SendRefusal | undefined {
  if (!isSending(method) || code === INTERNAL_ERROR) return undefined;
  return new SendRefusal('refused', message, false);
}
