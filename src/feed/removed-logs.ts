import type { BlockLog } from '../chain/chain.ts';

const PRESENT_END = '"removed":false}';
const REMOVED_END = '"removed":true}';

/** Cached logs with `removed: true`, by the original array of logs. Because of the cache, all listeners receive the same objects. */
const made = new WeakMap<readonly BlockLog[], readonly BlockLog[]>();

/**
 * Returns the logs of a block that left the chain, last log first, with `removed: true`.
 * @throws RangeError for a log that does not end in `"removed":false`
 */
export function takeBackLogs(logs: readonly BlockLog[]): readonly BlockLog[] {
  const known = made.get(logs);
  if (known !== undefined) return known;
  const removed = logs.map(takeBackLog).reverse();
  made.set(logs, removed);
  return removed;
}

function takeBackLog({ address, topics, json }: BlockLog): BlockLog {
  if (!json.endsWith(PRESENT_END)) throw new RangeError('a log does not end in "removed":false');
  return { address, topics, json: json.slice(0, -PRESENT_END.length) + REMOVED_END };
}
