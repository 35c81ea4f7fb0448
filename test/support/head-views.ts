import type { BlockHeader } from '../../src/pool/heads/block.ts';
import type { Candidate, HeadReport, Vote } from '../../src/pool/heads/electorate.ts';
import type { NetworkHeadOptions } from '../../src/pool/heads/network-head-options.ts';
import type { Clock } from '../../src/util/clock.ts';
import type { TestChain } from './block-tree.ts';

/** Block numbers that an upstream reports as safe and finalized. */
type Marks = { readonly safe?: number; readonly finalized?: number };

/** Report of an upstream at block `tip` of a chain, which knows that block, the `depth - 1` blocks below, and one more hash. */
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
    isSyncing: false,
    isExpected: true,
    hasShown: () => true,
    hashAt: (number) => (number === lowest.number - 1n ? lowest.parentHash : known.get(number)?.hash),
    headerAt: (number) => known.get(number),
  };
}

/** Report of an upstream that has not reported anything yet. */
export function viewNothing(): HeadReport {
  return {
    latest: undefined,
    safe: undefined,
    finalized: undefined,
    hasMarks: true,
    isSyncing: false,
    isExpected: true,
    hasShown: () => true,
    hashAt: () => undefined,
    headerAt: () => undefined,
  };
}

/** `noteVote` of a candidate that stores its vote. */
export function setVote(this: { vote: Vote }, vote: Vote): void {
  this.vote = vote;
}

/** Candidates of one tier with these reports; a report keeps its node. */
export function makeCandidates(reports: readonly HeadReport[], tier: number = 1): Candidate[] {
  return reports.map((tracker) => ({ tracker, tier, vote: 'votes', noteVote: setVote }));
}

/** Default options of a head. */
export function makeHeadOptions(
  clock: Clock,
  candidates: () => readonly Candidate[],
  options: Partial<NetworkHeadOptions> = {},
): NetworkHeadOptions {
  return {
    share: 'majority',
    maxLagBlocks: 8,
    maxLagMs: 30_000,
    giveUpMs: 30_000,
    headAgeMs: 60_000,
    isDevelopment: false,
    candidates,
    wallTime: () => WALL_TIME + clock.now(),
    onOrphaned: () => {},
    onAbandoned: () => {},
    onVote: () => {},
    onUnlinked: () => {},
    onAhead: () => {},
    onExpiry: () => {},
    onServed: () => {},
    clock,
    ...options,
  };
}

/** Unix milliseconds at the start of a test's clock; all blocks of trees are older. */
const WALL_TIME = 1_800_000_000_000;
