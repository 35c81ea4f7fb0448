import type { BlockHeader } from '../../src/upstream/heads/block.ts';
import type { HeadReport } from '../../src/upstream/heads/network-head.ts';
import type { TestChain } from './block-tree.ts';

/** Numbers of a chain's blocks that an upstream calls safe and finalized. */
type Marks = { readonly safe?: number; readonly finalized?: number };

/** An upstream at block `tip` of a chain, which knows that block and the `depth - 1` below it, and one more hash. */
export function viewChain(chain: TestChain, tip: number, depth = 300, marks: Marks = {}): HeadReport {
  const latest = chain.at(tip);
  const known = new Map<bigint, BlockHeader>();
  for (const block of chain.blocks.slice(Math.max(0, tip + 1 - depth), tip + 1))
    known.set(block.number, block);
  const lowest = chain.at(Math.max(0, tip + 1 - depth));
  return {
    latest,
    safe: marks.safe === undefined ? undefined : chain.at(marks.safe),
    finalized: marks.finalized === undefined ? undefined : chain.at(marks.finalized),
    hasMarks: true,
    hashAt: (number) => (number === lowest.number - 1n ? lowest.parentHash : known.get(number)?.hash),
    headerAt: (number) => known.get(number),
  };
}

/** An upstream that has not told anything. */
export function viewNothing(): HeadReport {
  return {
    latest: undefined,
    safe: undefined,
    finalized: undefined,
    hasMarks: true,
    hashAt: () => undefined,
    headerAt: () => undefined,
  };
}
