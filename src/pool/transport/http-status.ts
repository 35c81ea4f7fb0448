import { UpstreamFault } from '../fault.ts';
import { parseRetryAfter, readBackoff } from './retry-after.ts';

/** An HTTP response with a status other than 2xx. */
export type HttpRefusal = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The `data` of a JSON-RPC error in the body, if there is one. */
  readonly data?: unknown;
};

/** Returns the fault for an HTTP status other than 2xx. */
export function describeRefusal({ status, retryAfter, data }: HttpRefusal): UpstreamFault {
  const wait = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter);
  if (status === 429) {
    return new UpstreamFault(
      'rateLimited',
      'the node limits the rate of requests',
      wait ?? readBackoff(data),
    );
  }
  if (status === 503 && wait !== undefined) {
    return new UpstreamFault('rateLimited', 'the node is temporarily unavailable', wait);
  }
  if (status === 401 || status === 403) {
    return new UpstreamFault('unauthorized', `the node refuses our credentials (HTTP ${status})`);
  }
  return new UpstreamFault('httpStatus', `the node answered with HTTP status ${status}`);
}
