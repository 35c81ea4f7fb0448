import { minBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { ChainView } from './choose-head.ts';

/** Maximum number of heights, from the lower of two heads down, that are searched for a height at which both chains know a block. */
const MAX_DEPTH = 64;

/** Whether two chains have different blocks at the highest height that both know. */
export function contradictsChain(
  served: {
    readonly head: { readonly number: bigint } | undefined;
    hashAt(number: bigint): string | undefined;
  },
  view: ChainView,
): boolean {
  if (served.head === undefined || view.latest === undefined) return false;
  const top = minBigInt(served.head.number, view.latest.number);
  for (let number = top; number >= 0n && number > top - BigInt(MAX_DEPTH); number--) {
    const hash = view.hashAt(number);
    const servedHash = served.hashAt(number);
    if (hash !== undefined && servedHash !== undefined) return hash !== servedHash;
  }
  return false;
}
