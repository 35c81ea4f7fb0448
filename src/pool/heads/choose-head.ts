import type { BlockHeader } from './block.ts';
import { WINDOW_BLOCKS } from './block-window.ts';

/** The chain that one upstream reports. */
export interface ChainView {
  /** Its highest block; undefined until it has reported one. */
  readonly latest: BlockHeader | undefined;
  hashAt(number: bigint): string | undefined;
  headerAt(number: bigint): BlockHeader | undefined;
}

/** Quorum of upstreams that must have a block: more than half, or at least this part of them (above 0, at most 1). */
export type Share = 'majority' | number;

/** Tolerance for floating-point error, so that 0.07 of 100 is 7, not 8. */
const ROUNDING = 1e-9;

/** The smallest number of upstreams that meets the quorum among `total`; at least 1. */
export function countShare(share: Share, total: number): number {
  return share === 'majority' ? Math.floor(total / 2) + 1 : Math.max(1, Math.ceil(share * total - ROUNDING));
}

/** Whether an upstream has a block: its chain reaches that height and has no other block there. */
export function hasBlock(view: ChainView, { number, hash }: Pick<BlockHeader, 'number' | 'hash'>): boolean {
  if (view.latest === undefined || view.latest.number < number) return false;
  const known = view.hashAt(number);
  return known === undefined || known === hash;
}

/**
 * Returns the highest block, not above `ceiling`, that a quorum of the upstreams has. Among several at one height: the one that more of them have, then the one
 * already `served`, then the one of the lower hash.
 * @param isEligible rejects blocks for another reason
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

/** Heights that enough upstreams reach, descending; below the windows only heights that are the latest of an upstream. */
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
