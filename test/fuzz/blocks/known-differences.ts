/** What geth's state transition does otherwise, on purpose of ours or by its own fault: one row each. */
const KNOWN: readonly { readonly reason: string; readonly pattern: RegExp }[] = [];

export function isKnownDifference(difference: string): boolean {
  return KNOWN.some(({ pattern }) => pattern.test(difference));
}
