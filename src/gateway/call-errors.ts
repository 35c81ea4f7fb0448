import { decodeRevertReason } from '../../packages/ethereum/primitives/revert-reason.ts';
import { ChainError } from '../chain/errors.ts';
import { NodeRefusal } from '../chain/node-refusal.ts';
import type { Logger } from '../observe/logger.ts';
import { createNodeError, RpcError } from '../rpc/errors.ts';
import type { BoundsOf } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { createExpiry } from './create-expiry.ts';

/**
 * Method and network of a failure, for the log. The service defines the names of methods and networks, so logging them reveals no input of the
 * client.
 */
export type FailureSite = { readonly method: string; readonly network: string };

/**
 * Converts any value that a method threw to an RpcError. An unexpected error is logged without its message, which may contain input of the client.
 */
export function toRpcError(error: unknown, scope: RequestScope, site: FailureSite, log: Logger): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ChainError) return convertChainError(error, scope);
  logFault(log, error, site);
  return new RpcError('internal');
}

/** Logs an internal fault: kind and stack of the error. The message is left out, because it may quote parameters of a request. */
export function logFault(log: Logger, error: unknown, site: Partial<FailureSite>): void {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' };
  const frames = (stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  log.error({ ...site, error: name, stack: frames.join('\n') }, 'unexpected error');
}

/** Converts a failure of the chain to an RpcError that names the bound, if a bound caused the failure. */
export function convertChainError(error: ChainError, scope: RequestScope): RpcError {
  const converted = chooseRow(error, scope);
  converted.bound ??= error.bound;
  return converted;
}

function chooseRow(error: ChainError, scope: RequestScope): RpcError {
  switch (error.kind) {
    case 'reverted': {
      const data = error.data ?? '0x';
      const reason = decodeRevertReason(data);
      return new RpcError('executionReverted', reason === undefined ? '' : `: ${reason}`, data);
    }
    case 'failed':
      return new RpcError('serverError', error.message);
    case 'refused':
      return error instanceof NodeRefusal
        ? createNodeError(error)
        : new RpcError('serverError', error.message);
    case 'unsupported':
      return new RpcError('methodNotFound', error.message);
    case 'timeout':
      return new RpcError('executionTimedOut', error.message);
    case 'invalid':
      return new RpcError('invalidParams', error.message);
    case 'exceeded':
      return new RpcError('tooManyLogs', error.message);
    case 'pruned':
      return new RpcError('prunedHistory');
    case 'absent':
      return new RpcError('resourceNotFound');
    case 'unavailable':
      return new RpcError('unavailable', error.message);
    case 'readOnly':
      return new RpcError('readOnlyNetwork', error.message);
    case 'misconfigured':
      return new RpcError('misconfigured', error.message);
    case 'busy':
      return new RpcError('busy', (error.bound as BoundsOf<'busy'> | undefined) ?? 'executions.waiting');
    case 'aborted':
      return performance.now() >= scope.deadline ? createExpiry(scope) : new RpcError('cancelled');
    default:
      return new RpcError(error.kind, error.message);
  }
}
