import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { FeedStep, NetworkFeed } from '../../feed/feed.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { FilterCriteria } from './filter-criteria.ts';
import { isInRange } from './filter-range.ts';

/** Number of blocks whose logs are read concurrently. */
const WINDOW = 16;
/**
 * Soft limits of one answer: number of logs, and their length in UTF-16 units. The block that reaches a limit is still included, and the next poll continues
 * after this block.
 */
const MAX_LOGS = 10_000;
const MAX_LENGTH = 8 * 1024 * 1024;

/** Logs of all feed steps; if a size or time limit was reached, logs of the first steps only. */
export type CollectedLogs = {
  readonly logs: readonly JsonText[];
  /** Hash of the head after the last covered step. The hash is undefined when the logs cover all steps. */
  readonly last: string | undefined;
};

/**
 * Reads the logs of feed steps in order. Reading stops at the limits of one answer, or after half of the time that the request has left.
 * @param steps feed steps since the last poll, oldest first
 */
export async function collectLogs(
  feed: NetworkFeed,
  steps: readonly FeedStep[],
  { filter, matches }: FilterCriteria,
  scope: RequestScope,
): Promise<CollectedLogs> {
  const meant = steps.filter(({ block }) => isInRange(filter.blocks, block.number));
  const logs: JsonText[] = [];
  let length = 0;
  const now = performance.now();
  const end = now + (scope.deadline - now) / 2;
  for (let at = 0; at < meant.length; at += WINDOW) {
    const window = meant.slice(at, at + WINDOW);
    const lists = await Promise.all(window.map((step) => feed.readLogs(step, matches, scope)));
    for (const [i, step] of window.entries()) {
      for (const { json } of lists[i] ?? []) {
        logs.push(json);
        length += json.length;
      }
      if (logs.length >= MAX_LOGS || length >= MAX_LENGTH) return { logs, last: findHead(step) };
    }
    if (performance.now() > end) return { logs, last: findHead(window.at(-1) as FeedStep) };
  }
  return { logs, last: undefined };
}

function findHead({ kind, block }: FeedStep): string {
  return kind === 'added' ? block.hash : block.parentHash;
}
