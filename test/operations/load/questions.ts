import { CHAIN_ID } from '../../support/ask-program.ts';
import type { FixedQuestion } from './plan.ts';

/** A request with a known answer, byte for byte. */
export type Request = { readonly id: number; readonly text: string; readonly answer: string };

/**
 * Creates a request; every second one is an `eth_call` that returns its own id, which reveals answers to another request. The code is
 * PUSH4 id, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
 */
export function ask(id: number): Request {
  const isCall = id % 2 === 1;
  const hex = id.toString(16);
  const data = `0x63${hex.padStart(8, '0')}60005260206000f3`;
  const [method, params, result] = isCall
    ? ['eth_call', [{ data }, 'latest'], `0x${hex.padStart(64, '0')}`]
    : ['eth_chainId', [], CHAIN_ID];
  return {
    id,
    text: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    answer: JSON.stringify({ jsonrpc: '2.0', id, result }),
  };
}

/** Returns the request of this id from a fixed list. */
export function askFixed(id: number, requests: readonly FixedQuestion[]): Request {
  const { method, params, result } = requests[id % requests.length] as FixedQuestion;
  return {
    id,
    text: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    answer: `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
  };
}

type Refusal = {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
};
type Rate = { readonly allowed_rps?: unknown; readonly backoff_seconds?: unknown };

/** Whether an answer refuses a key that exceeded its limit. @param retryAfter the header's value, where present */
export function isLimitRefusal(text: string, id: number, retryAfter: string | undefined): boolean {
  let refusal: Refusal;
  try {
    refusal = JSON.parse(text) as Refusal;
  } catch {
    return false;
  }
  const { code, message, data } = refusal.error ?? {};
  const rate = data as Rate | undefined;
  const backoff = Number(rate?.backoff_seconds);
  return (
    refusal.jsonrpc === '2.0' &&
    refusal.id === id &&
    code === -32005 &&
    String(message).startsWith('project ID request rate exceeded') &&
    Number(rate?.allowed_rps) > 0 &&
    backoff > 0 &&
    (retryAfter === undefined || Number(retryAfter) === backoff)
  );
}
