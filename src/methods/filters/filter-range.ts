import type { LogBlocks, LogBound } from '../../chain/requests.ts';
import { RpcError } from '../../rpc/errors.ts';

/**
 * Checks a block range. geth's live filters accept only some of the ranges that a log filter can express.
 * @throws RpcError in geth's words
 */
export function checkFilterRange(blocks: LogBlocks): void {
  // A block hash restricts only eth_getFilterLogs, and does not restrict polls.
  if (blocks.kind === 'block') return;
  const { from, to } = blocks;
  if (isTag(from, 'pending') || isTag(to, 'pending')) {
    throw new RpcError('invalidParams', 'pending logs are not supported');
  }
  const [first, last] = [readFirst(from), readNumber(to)];
  const isOpen = isTag(to, 'latest') && (isTag(from, 'latest') || first !== undefined);
  const isClosed = first !== undefined && last !== undefined && first <= last;
  if (!isOpen && !isClosed) throw new RpcError('invalidParams', 'invalid block range params');
}

/** Whether a block number is in the range. If the first or last block of the range is a tag, that end of the range is open. */
export function isInRange(blocks: LogBlocks, number: bigint): boolean {
  if (blocks.kind === 'block') return true;
  const [first, last] = [readNumber(blocks.from), readNumber(blocks.to)];
  return (first === undefined || first <= number) && (last === undefined || number <= last);
}

function readFirst(bound: LogBound): bigint | undefined {
  return isTag(bound, 'earliest') ? 0n : readNumber(bound);
}

function readNumber(bound: LogBound): bigint | undefined {
  return bound.kind === 'number' ? bound.number : undefined;
}

function isTag(bound: LogBound, tag: string): boolean {
  return bound.kind === 'tag' && bound.tag === tag;
}
