import type { NodeError } from '../node-call.ts';
import { cutText, MAX_SCRUBBED_LENGTH } from './cut-text.ts';
import { findRevert } from './find-revert.ts';
import { type FoundRule, findRule } from './find-rule.ts';
import { isEstimating, isExecuting } from './methods.ts';
import { readRequestedPause } from './retry-after.ts';
import { parseRevertData } from './revert-data.ts';
import { unwrapError } from './unwrap-error.ts';
import type { Verdict } from './verdict.ts';

/** Parity's messages for a failed execution; `data` describes the failure in words. */
const EMPTY_MESSAGE =
  /^(?:vm execution error|transaction execution error|the execution failed due to an exception)\.?$/i;
/** Messages that are precise only with the text in `data`. */
const VAGUE_MESSAGE = /^(?:invalid params|couldn't parse parameters\b.{0,80})$/i;

/**
 * Classifies a node's error. Reverts are recognized first, by code, by bytes, or by the beginning of the message. Codes and texts are looked up only
 * if the error is not a revert. No contract can influence the text of an error that is not a revert, so no contract can forge an error.
 * @param mask hides secrets in a text; gets only the beginning of a text that is not a revert reason
 */
export function classifyError(
  error: NodeError,
  method: string,
  mask: (words: string) => string = (words) => words,
): Verdict {
  const cut = (words: string): string => cutText(mask(cutText(words, MAX_SCRUBBED_LENGTH)));
  const text = cut(error.message);
  const executes = isExecuting(method);
  const revert = executes ? findRevert(error, text, mask) : undefined;
  if (revert !== undefined) return { kind: 'reverted', data: revert };
  const message = readText(text, error.data, cut);
  const found = findRule(error.code, message, executes);
  if (found !== undefined) return createVerdict(found, message, error, method);
  if (executes && EMPTY_MESSAGE.test(text)) return { kind: 'failed', message };
  return { kind: 'unknown', code: error.code, message };
}

function createVerdict({ rule, match }: FoundRule, text: string, error: NodeError, method: string): Verdict {
  switch (rule.kind) {
    case 'failed': {
      const words = isEstimating(method) ? (rule.gethEstimate ?? rule.geth) : rule.geth;
      return { kind: 'failed', message: words?.replace('$1', () => match?.[1] ?? '') ?? text };
    }
    case 'invalid':
    case 'missing':
    case 'pruned':
      return { kind: rule.kind, message: text };
    case 'rateLimited': {
      const retryAfterMs = readRequestedPause(error.data, text);
      return retryAfterMs === undefined ? { kind: 'rateLimited' } : { kind: 'rateLimited', retryAfterMs };
    }
    case 'unknown':
      return { kind: 'unknown', code: error.code, message: text };
    default:
      return { kind: rule.kind };
  }
}

/** Returns the text that describes the failure; some clients write it into `data` instead of the message. */
function readText(text: string, data: unknown, cut: (words: string) => string): string {
  if (typeof data !== 'string' || data === '' || parseRevertData(data) !== undefined) return text;
  if (EMPTY_MESSAGE.test(text)) return cut(unwrapError(data));
  return VAGUE_MESSAGE.test(text) ? cut(`${text}: ${data}`) : text;
}
