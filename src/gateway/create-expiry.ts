import { createTimeout } from '../chain/errors.ts';
import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Creates the error for a passed deadline: it names the time limit of the call, or the limit of the whole body if that one has passed. */
export function createExpiry({ isCallLimit, limitMs }: RequestScope): RpcError {
  if (!isCallLimit) return new RpcError('timedOut', 'request.time');
  const error = new RpcError('executionTimedOut', createTimeout(limitMs).message);
  error.bound = 'call.time';
  return error;
}
