/** Block ranges of log requests, with geth's error texts; used by embedded chains and by networks of nodes. */
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { ChainError, createBoundRefusal } from './errors.ts';
import type { LogBlocks } from './requests.ts';

/** Limits on one log response. */
export type LogLimits = {
  /** Maximum number of blocks in a range; unlimited if absent. */
  readonly blockRange?: number;
  readonly results: number;
  /** Maximum size of the response as JSON text, bytes. */
  readonly bytes: number;
};

/**
 * Default limits, which equal the limits of hosted node services. The range is not limited, because the log index makes ranges of any length cheap.
 */
export const DEFAULT_LOG_LIMITS: LogLimits = { results: 10_000, bytes: 32 * 1024 * 1024 };

/** Blocks from `first` to `last`, both inclusive. */
export type LogRange = { readonly first: bigint; readonly last: bigint };

/**
 * Resolves the two ends of a block range to block numbers.
 * @param head number of the newest block
 * @param findTag returns the block number of a tag other than `latest` and `pending`
 * @throws ChainError with geth's error text if there is no such range
 */
export function resolveLogRange(
  { from, to }: Extract<LogBlocks, { readonly kind: 'range' }>,
  head: bigint,
  findTag: (tag: 'earliest' | 'safe' | 'finalized') => bigint,
): LogRange {
  if ([from, to].some((bound) => bound.kind === 'tag' && bound.tag === 'pending')) {
    throw new ChainError('invalid', 'pending logs are not supported');
  }
  /**
   * Returns the block number of one end of the range; undefined for `latest`. The first comparison below treats undefined as higher than every
   * number.
   */
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

/** @throws ChainError with geth's error text if the range has more blocks than the network allows */
export function checkBlockRange({ first, last }: LogRange, { blockRange }: LogLimits): void {
  if (blockRange === undefined || last - first < BigInt(blockRange)) return;
  throw createBoundRefusal('invalid', 'logs.blockRange', blockRange);
}

/**
 * Creates the error for a log response above a limit. Client libraries match this error text and retry with the suggested range.
 * @param block number of the block at which the limit was exceeded
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
