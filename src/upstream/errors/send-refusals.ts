import { ChainError } from '../../chain/errors.ts';
import type { NodeError } from '../node-call.ts';
import { readSendWords, type SendVerdict } from '../sending/node-words.ts';
import { isSending } from './methods.ts';
import { scrubMessage } from './scrub-message.ts';

/** A node's answer to a transaction that it does not take (again). */
export class SendRefusal extends ChainError {
  readonly verdict: SendVerdict;
  /** Whether its words are known: what others say of the same may be less precise. */
  readonly isKnown: boolean;

  constructor(verdict: SendVerdict, message: string, isKnown: boolean) {
    super('failed', message);
    this.verdict = verdict;
    this.isKnown = isKnown;
  }
}

/** `internal error`: nothing about the transaction. */
const INTERNAL_ERROR = -32603;

/** A refusal in words that are known; whatever the code, and also where the message says nothing and `data` has the words. */
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

/** An error that is not understood otherwise: a refusal in the node's words, unless it says that the node has failed. */
export function guessSendRefusal(
  { code }: NodeError,
  method: string,
  message: string,
): SendRefusal | undefined {
  if (!isSending(method) || code === INTERNAL_ERROR) return undefined;
  return new SendRefusal('refused', message, false);
}
