import type { CoalescedCall } from './coalesced-call.ts';

/** Calls of one caller that must be sent in one request: a single call, or items of a batch. */
export type SubmittedCalls = readonly CoalescedCall[];

/** Calls of one request, and the number of callers that sent them. */
export type PackedCalls = { readonly calls: readonly CoalescedCall[]; readonly callers: number };

/** Maximum number of callers in one request. */
const MOST_CALLERS = 16;

/**
 * Packs callers into as few requests as the bounds allow, in order of arrival; all requests have about the same size.
 * @param most maximum number of calls in one request; each caller must have at most this many calls
 */
export function packCallers(provided: readonly SubmittedCalls[], most: number): readonly PackedCalls[] {
  const total = provided.reduce((sum, { length }) => sum + length, 0);
  const requests = Math.max(Math.ceil(total / most), Math.ceil(provided.length / MOST_CALLERS));
  const share = total / requests;
  const packed: PackedCalls[] = [];
  let calls: CoalescedCall[] = [];
  let callers = 0;
  let taken = 0;
  for (const own of provided) {
    const hasShare = taken >= share * (packed.length + 1);
    const isFull = hasShare || calls.length + own.length > most || callers === MOST_CALLERS;
    if (callers > 0 && isFull) {
      packed.push({ calls, callers });
      calls = [];
      callers = 0;
    }
    for (const call of own) calls.push(call);
    taken += own.length;
    callers++;
  }
  if (callers > 0) packed.push({ calls, callers });
  return packed;
}
