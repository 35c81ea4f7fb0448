import { formatBytes, formatMs } from '../format.ts';
import type { ConsoleAnswer } from './wire.ts';

export type RpcFailure = { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };

/** Outcome of a request: a JSON-RPC result, a JSON-RPC error, or a response that is neither. */
export type RpcOutcome =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly failure: RpcFailure }
  | { readonly kind: 'transport'; readonly reason: string };

/** Maximum characters of an error's message in the badge. */
const MAX_MESSAGE = 120;

/** Reads the JSON-RPC outcome from a response, whatever its HTTP status is. */
export function readRpcOutcome({ body }: ConsoleAnswer): RpcOutcome {
  let response: unknown;
  try {
    response = JSON.parse(body);
  } catch {
    return { kind: 'transport', reason: body === '' ? 'The body is empty.' : 'The body is not JSON.' };
  }
  if (typeof response === 'object' && response !== null) {
    const { error, result } = response as { error?: unknown; result?: unknown };
    if (typeof error === 'object' && error !== null) return { kind: 'error', failure: error };
    if ('result' in response) return { kind: 'result', result };
  }
  return { kind: 'transport', reason: 'The body is not a JSON-RPC response.' };
}

/** Describes an outcome for the badge. */
export function describeOutcome(outcome: RpcOutcome, { status }: ConsoleAnswer): string {
  if (outcome.kind === 'result') return outcome.result === null ? '✓ result: null' : '✓ result';
  if (outcome.kind === 'transport') return `✕ no JSON-RPC answer: HTTP ${status}`;
  return `✕ ${formatFailure(outcome.failure)}`;
}

/** Describes a JSON-RPC error in one line. */
export function formatFailure({ code, message }: RpcFailure): string {
  const text = String(message ?? 'no message');
  return `error ${String(code)}: ${text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text}`;
}

/** Describes the HTTP response in a few words. */
export function describeResponse({ status, milliseconds, body }: ConsoleAnswer): string {
  return `HTTP ${status}, ${formatMs(milliseconds)}, ${formatBytes(new TextEncoder().encode(body).length)}`;
}
