import { isDeepStrictEqual } from 'node:util';
import type { Expected } from '../support/scene-questions.ts';

export type Verdict =
  | 'right'
  /** A JSON-RPC error that reports that no node could answer. */
  | 'refused'
  | 'wrong'
  | 'hang';

type Response = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** Error codes that a gateway may return when no node answers. */
const REFUSAL_CODES: ReadonlySet<number> = new Set([-32603, -32000, -32002, -32005]);
/** Texts that would reveal our own bugs or a node's address to a caller. */
const UNCLEAR = /internal error|undefined|127\.0\.0\.1|localhost|http:|ws:/i;

/**
 * Checks the text of one response.
 * @param secret part of the upstream's address
 */
export function check(text: string, id: number, expected: readonly Expected[], secret: string): Verdict {
  if (text.includes(secret)) return 'wrong';
  const response = parse(text);
  if (response === undefined || response.id !== id) return 'wrong';
  if (expected.some((one) => matches(response, one))) return 'right';
  const { error } = response;
  if (error === undefined) return 'wrong';
  const isClear = REFUSAL_CODES.has(error.code) && error.message.length > 0 && !UNCLEAR.test(error.message);
  return isClear && !('result' in response) ? 'refused' : 'wrong';
}

function parse(text: string): Response | undefined {
  try {
    return JSON.parse(text) as Response;
  } catch {
    return undefined;
  }
}

function matches(response: Response, expected: Expected): boolean {
  if ('result' in expected)
    return 'result' in response && isDeepStrictEqual(response.result, expected.result);
  const { error } = response;
  const { code, message, data } = expected.error;
  if (error?.code !== code) return false;
  // With no expected message, `no node could answer` must not pass for the node's own refusal.
  if (message === undefined) return !/no node could answer|aborted|timed out/.test(error.message);
  return error.message === message && error.data === data;
}
