import type { ChainError } from '../../chain/errors.ts';
import { NodeRefusal } from '../../chain/node-refusal.ts';
import { PassedFault, UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import { classifyError } from './classify-error.ts';
import { scrubData } from './scrub-data.ts';
import { maskSecrets, scrubMessage } from './scrub-message.ts';

/**
 * Converts a node's error for a passed-through method. An error caused by the request becomes the answer, with its code, message and data. An error
 * that the node causes (missing data, rate limit, credentials, or no stated reason) becomes a fault, so that another node is used.
 * @param secrets texts that are masked in messages of the node
 * @param credentials secrets that are masked in revert data too; they cannot be guessed
 */
export function readPassedError(
  error: NodeError,
  method: string,
  secrets: readonly string[],
  credentials: readonly string[] = [],
): ChainError | UpstreamFault {
  const verdict = classifyError(error, method, (words) => maskSecrets(words, secrets));
  const { code } = error;
  const refusal = (): NodeRefusal =>
    new NodeRefusal(code, scrubMessage(error.message, secrets), scrubData(error.data, secrets, credentials));
  switch (verdict.kind) {
    case 'reverted':
    case 'failed':
    case 'invalid':
      return refusal();
    case 'rateLimited':
      return new UpstreamFault('rateLimited', 'the node limits the rate of requests', verdict.retryAfterMs);
    case 'unsupported':
      return new UpstreamFault('unsupported', `${method} is not available`);
    case 'unauthorized':
      return new UpstreamFault('unauthorized', 'the node refuses our credentials');
    case 'missing':
    case 'pruned':
      return new PassedFault(verdict.kind, refusal());
    case 'timeout':
    case 'unknown':
      return new PassedFault('unknown', refusal());
  }
}
