/** What both kinds of chain say to ranges of blocks for logs, in geth's words. */
import { encodeQuantity } from '../primitives/quantity.ts';
import { ChainError, createBoundRefusal } from './errors.ts';
import type { LogBlocks } from './requests.ts';

/** What one answer of logs may have. */
export type LogLimits = {
  /** Blocks from the first to the last; without it there is no bound. */
  readonly blockRange?: number;
  readonly results: number;
  /** Of JSON text. */
  readonly bytes: number;
};

/** As hosted services have it; the index makes ranges of any length cheap. */
export const DEFAULT_LOG_LIMITS: LogLimits = { results: 10_000, bytes: 32 * 1024 * 1024 };

/** Blocks from `first` to `last`, both included. */
export type LogRange = { readonly first: bigint; readonly last: bigint };

/**
 * The blocks that a range means.
 * @param head the last block there is
 * @param findTag the block of a tag that is neither `latest` nor `pending`
 * @throws ChainError in geth's words when there is no such range
 */
export function resolveLogRange(
  { from, to }: Extract<LogBlocks, { readonly kind: 'range' }>,
  head: bigint,
  findTag: (tag: 'earliest' | 'safe' | 'finalized') => bigint,
): LogRange {
  if ([from, to].some((bound) => bound.kind === 'tag' && bound.tag === 'pending')) {
    throw new ChainError('invalid', 'pending logs are not supported');
  }
  /** Undefined is the head, which is above every number until the range is known. */
  const resolve = (bound: typeof from): bigint | undefined => {
    if (bound.kind === 'number') return bound.number;
    return bound.tag === 'latest' || bound.tag === 'pending' ? undefined : findTag(bound.tag);
  };
  const [first, last] = [resolve(from), resolve(to)];
  if (last !== undefined && (first === undefined || first > last)) throw invalidRange();
  const range = { first: first ?? head, last: last ?? head };
  if (range.first > range.last) throw invalidRange();
  if (range.last > head) throw new ChainError('invalid', 'block range extends beyond current head block');
  return range;
}

function invalidRange(): ChainError {
  return new ChainError('invalid', 'invalid block range params');
}

/** @throws ChainError in geth's words when the range has more blocks than the network allows */
export function checkBlockRange({ first, last }: LogRange, { blockRange }: LogLimits): void {
  if (blockRange === undefined || last - first < BigInt(blockRange)) return;
  throw createBoundRefusal('invalid', 'logs.blockRange', blockRange);
}

/**
 * An answer that has too many results, or too many bytes. Client libraries look for these words and go on with the range they name.
 * @param block number of the block that exceeded the bound
 */
export function refuseLogs(
  what: 'results' | 'bytes',
  limit: number,
  { first }: Pick<LogRange, 'first'>,
  block: bigint,
): ChainError {
  const range = `[${encodeQuantity(first)}, ${encodeQuantity(block - 1n)}]`;
  const advice = block > first ? ` Try with this block range ${range}.` : '';
  return createBoundRefusal('exceeded', `logs.${what}`, `${limit} ${what}.${advice}`);
}
