import type { ChainError } from '../../chain/errors.ts';
import { NodeRefusal } from '../../chain/node-refusal.ts';
import { PassedFault, UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import { classifyError } from './classify-error.ts';
import { scrubData } from './scrub-data.ts';
import { maskSecrets, scrubMessage } from './scrub-message.ts';

/**
 * Reads a node's error to a passed-through method. If the error is about the request, its code, message and data are the answer. If it is about the
 * node (data that the node lacks, its rate, its credentials, or a fault without a reason), another node is used.
 * @param secrets texts that are masked in words of the node
 * @param credentials secrets that are masked in revert data too
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
