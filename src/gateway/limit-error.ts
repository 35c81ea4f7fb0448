import type { Denial } from '../access/limits/account.ts';
import { type BackOff, RpcError } from '../rpc/errors.ts';

/** Path of the documentation for authors of clients. */
const ADVICE = 'docs/operations.md#limits';

/** Table row of the error, and bound of a rate limit. */
type RateRefusal =
  | readonly ['rateLimited', 'key.rate']
  | readonly ['creditsSpent', 'key.credits']
  | readonly ['networkLimited', 'network.rate']
  | readonly ['tooManyFailures', 'address.failures'];

/** Creates a limit error with its retry delay in whole seconds, the form that clients read. */
export function createLimitError(refusal: RateRefusal, { allowed, current, retryAfterMs }: Denial): RpcError {
  const rate: BackOff = {
    allowed_rps: allowed,
    backoff_seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    current_rps: current,
  };
  const [, bound] = refusal;
  return new RpcError(...refusal, '', { see: ADVICE, bound, ...rate, rate });
}
