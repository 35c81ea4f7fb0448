import { ChainError } from '../../chain/errors.ts';
import type { NodeError } from '../node-call.ts';
import { isSending } from './methods.ts';
import { readSendWords, type SendVerdict } from './node-words.ts';
import { scrubMessage } from './scrub-message.ts';

/** Node's refusal of a transaction, or of one that it already has. */
export class SendRefusal extends ChainError {
  readonly verdict: SendVerdict;
  /** Whether its words are known; unknown words yield to known ones of other nodes. */
  readonly isKnown: boolean;

  constructor(verdict: SendVerdict, message: string, isKnown: boolean) {
    super('failed', message);
    this.verdict = verdict;
    this.isKnown = isKnown;
  }
}

/** JSON-RPC `internal error`: it says nothing about the transaction. */
const INTERNAL_ERROR = -32603;

/** Finds a refusal in known words, whatever the code, in the message or in `data`. */
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

/** Reads an otherwise unknown error as a refusal in the node's words, unless it reports a failure of the node. */
export function guessSendRefusal(
  { code }: NodeError,
  method: string,
  message: string,
): SendRefusal | undefined {
  if (!isSending(method) || code === INTERNAL_ERROR) return undefined;
  return new SendRefusal('refused', message, false);
}
