import type { BlockHeader } from './block.ts';
import { WINDOW_BLOCKS } from './block-window.ts';

/** The chain that one upstream reports. */
export interface ChainView {
  /** Highest block of the upstream; undefined until it has reported a block. */
  readonly latest: BlockHeader | undefined;
  hashAt(number: bigint): string | undefined;
  headerAt(number: bigint): BlockHeader | undefined;
}

/** Quorum of upstreams that must have a block: more than half, or at least this fraction of the upstreams (above 0, at most 1). */
export type Share = 'majority' | number;

/** Tolerance for floating-point errors: without it, 0.07 of 100 would be 8 instead of 7. */
const ROUNDING = 1e-9;

/** Returns the minimum number of upstreams, at least 1, that form a quorum among `total`. */
export function countShare(share: Share, total: number): number {
  return share === 'majority' ? Math.floor(total / 2) + 1 : Math.max(1, Math.ceil(share * total - ROUNDING));
}

/** Whether an upstream counts as having a block: its chain reaches the block's height, and no other block of it is known at this height. */
export function hasBlock(view: ChainView, { number, hash }: Pick<BlockHeader, 'number' | 'hash'>): boolean {
  if (view.latest === undefined || view.latest.number < number) return false;
  const known = view.hashAt(number);
  return known === undefined || known === hash;
}

/**
 * Returns the highest block, not above `ceiling`, that a quorum of the upstreams has. If several blocks at this height qualify, the block that most
 * upstreams have is chosen. On a tie, it is the `served` block, otherwise the block with the lowest hash.
 * @param isEligible returns whether a block that has the quorum may be chosen
 */
export function chooseHead(
  views: readonly ChainView[],
  share: Share,
  served?: BlockHeader,
  ceiling?: bigint,
  isEligible?: (block: BlockHeader) => boolean,
): BlockHeader | undefined {
  const needed = countShare(share, views.length);
  for (const number of listHeights(views, needed, ceiling)) {
    const block = chooseAt(number, views, { needed, served, isEligible });
    if (block !== undefined) return block;
  }
  return undefined;
}

/**
 * Yields the heights that enough upstreams reach, descending. Every height within `WINDOW_BLOCKS` of the highest one is yielded. Below, only the
 * heights of upstreams' latest blocks are yielded.
 */
function* listHeights(
  views: readonly ChainView[],
  needed: number,
  ceiling: bigint | undefined,
): Generator<bigint> {
  const latest = views.flatMap((view) => view.latest?.number ?? []).sort((a, b) => (a < b ? 1 : -1));
  const reached = latest[needed - 1];
  if (reached === undefined) return;
  const top = ceiling !== undefined && ceiling < reached ? ceiling : reached;
  const bottom = top - BigInt(WINDOW_BLOCKS);
  for (let number = top; number > bottom && number >= 0n; number--) yield number;
  for (const number of latest) if (number <= bottom) yield number;
}

type Rules = {
  readonly needed: number;
  readonly served: BlockHeader | undefined;
  readonly isEligible: ((block: BlockHeader) => boolean) | undefined;
};

type Candidate = { readonly header: BlockHeader; readonly holders: number };

function chooseAt(
  number: bigint,
  views: readonly ChainView[],
  { needed, served, isEligible }: Rules,
): BlockHeader | undefined {
  const headers = new Map<string, BlockHeader>();
  for (const view of views) {
    const header = view.headerAt(number);
    if (header !== undefined) headers.set(header.hash, header);
  }
  let best: Candidate | undefined;
  for (const header of headers.values()) {
    const candidate = { header, holders: views.filter((view) => hasBlock(view, header)).length };
    if (candidate.holders < needed || isEligible?.(header) === false) continue;
    if (best === undefined || isPreferred(candidate, best, served)) best = candidate;
  }
  return best?.header;
}

function isPreferred(a: Candidate, b: Candidate, served: BlockHeader | undefined): boolean {
  if (a.holders !== b.holders) return a.holders > b.holders;
  if (a.header.hash === served?.hash) return true;
  if (b.header.hash === served?.hash) return false;
  return a.header.hash < b.header.hash;
}
