import type { JoinedCall } from './joined-call.ts';

/** What one caller has given: a call by itself, or items of a batch, which stay together. */
export type GivenCalls = readonly JoinedCall[];

/** What goes into one request. */
export type PackedCalls = { readonly calls: readonly JoinedCall[]; readonly callers: number };

/** Callers in one request. */
const MOST_CALLERS = 16;

/**
 * Puts callers into as few requests as the bounds allow, of about the same size, in the order in which they came.
 * @param most calls in one request; no caller has more
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
