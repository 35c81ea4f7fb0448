import { setTimeout as sleep } from 'node:timers/promises';
import { RpcError } from '../../rpc/errors.ts';
import { RecordTableError } from '../../shared-store/records/record-table.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/**
 * Pauses between attempts at the record table, ms. The pauses add up to the length of a short outage of the record table, so that the request
 * outlasts it.
 */
export const RETRY_PAUSES: readonly number[] = [10, 30, 100, 300, 500];

/**
 * Runs `work`, and repeats it while the record table fails and time remains.
 * @param work must be safe to repeat after a write with unknown outcome
 * @throws RpcError `recordsUnavailable`; any other error of `work`
 */
export async function retryTable<T>(
  work: () => T | Promise<T>,
  scope: RequestScope,
  pauses: readonly number[] = RETRY_PAUSES,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RecordTableError)) throw error;
      const pause = pauses[failures];
      if (pause === undefined || scope.aborted || performance.now() + pause >= scope.deadline)
        throw new RpcError('recordsUnavailable');
      await sleep(pause);
    }
  }
}
