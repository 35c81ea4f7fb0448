import type { Denial } from '../access/limits/account.ts';
import { type BackOff, RpcError } from '../rpc/errors.ts';

/** Documentation of the limits, which each limit error names for authors of clients. */
const ADVICE = 'docs/operations.md#limits';

/** Error name and name of the bound, for refusals that have a retry delay. */
type RateRefusal =
  | readonly ['rateLimited', 'key.rate']
  | readonly ['creditsSpent', 'key.credits']
  | readonly ['networkLimited', 'network.rate']
  | readonly ['tooManyFailures', 'address.failures'];

/** Creates a limit error with a retry delay in whole seconds and the members `allowed_rps`, `backoff_seconds` and `current_rps`. */
export function createLimitError(refusal: RateRefusal, { allowed, current, retryAfterMs }: Denial): RpcError {
  const rate: BackOff = {
    allowed_rps: allowed,
    backoff_seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    current_rps: current,
  };
  const [, bound] = refusal;
  return new RpcError(...refusal, '', { see: ADVICE, bound, ...rate, rate });
}
