import type { JoinedCall } from './joined-call.ts';

/** Calls of one caller: a single call, or items of a batch, which stay together. */
export type GivenCalls = readonly JoinedCall[];

/** Calls of one request. */
export type PackedCalls = { readonly calls: readonly JoinedCall[]; readonly callers: number };

/** Maximum callers in one request. */
const MOST_CALLERS = 16;

/**
 * Packs callers into as few requests as the bounds allow, of about the same size, in order of arrival.
 * @param most maximum calls in one request; no caller has more
 */
export function packCallers(given: readonly GivenCalls[], most: number): readonly PackedCalls[] {
  const total = given.reduce((sum, { length }) => sum + length, 0);
  const requests = Math.max(Math.ceil(total / most), Math.ceil(given.length / MOST_CALLERS));
  const share = total / requests;
  const packed: PackedCalls[] = [];
  let calls: JoinedCall[] = [];
  let callers = 0;
  let taken = 0;
  for (const own of given) {
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
