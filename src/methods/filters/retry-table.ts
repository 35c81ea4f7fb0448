import { setTimeout as sleep } from 'node:timers/promises';
import { RecordTableError } from '../../records/record-table.ts';
import { RpcError } from '../../rpc/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/** Between two attempts, milliseconds: a table that cannot be read or written for a moment is waited for within the request. */
export const RETRY_PAUSES: readonly number[] = [10, 30, 100, 300, 500];

/**
 * Runs `work`, and again where the table of records could not be read or written, while there is time.
 * @param work has to be right when it is repeated after a write of which it is not known whether it was made
 * @throws RpcError `recordsUnavailable`; whatever else `work` throws
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
