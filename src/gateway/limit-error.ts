import type { Denial } from '../access/limits/account.ts';
import { type BackOff, type ErrorName, RpcError } from '../rpc/errors.ts';

/** Where a client's author finds what to do. */
const ADVICE = 'docs/operations.md#limits';

/** The error that says when to come back: in whole seconds, as clients read it. */
export function createLimitError(name: ErrorName, { allowed, current, retryAfterMs }: Denial): RpcError {
  const rate: BackOff = {
    allowed_rps: allowed,
    backoff_seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    current_rps: current,
  };
  return new RpcError(name, '', { see: ADVICE, ...rate, rate });
}
