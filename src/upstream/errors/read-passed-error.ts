import type { ChainError } from '../../chain/errors.ts';
import { NodeRefusal } from '../../chain/node-refusal.ts';
import { PassedFault, UpstreamFault } from '../fault.ts';
import type { NodeError } from '../node-call.ts';
import { classifyError } from './classify-error.ts';
import { maskRevertData, maskSecrets, scrubMessage } from './scrub-message.ts';

const HEX = /^0x[0-9a-fA-F]*$/;
/** JSON text of an object in an error's data that is passed on, UTF-16 units. */
const MAX_DATA_LENGTH = 64 * 1024;

/**
 * A node's error to a method that the service passes on without knowing it: its code, message and data are the answer, as far as they are about the
 * request. Another node is asked where it is about this node: what it lacks, its rate, its credentials, or a fault that names no reason.
 * @param secrets what must not be shown of what the node says
 * @param credentials those of them that are masked in revert data too
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
    new NodeRefusal(code, scrubMessage(error.message, secrets), readData(error.data, secrets, credentials));
  switch (verdict.kind) {
    case 'reverted':
    case 'failed':
    case 'invalid':
      return refusal();
    case 'rateLimited':
      return new UpstreamFault('rateLimited', 'the node limits its rate', verdict.retryAfterMs);
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

/** Text with secrets masked, and any other value where it is bounded and holds none. Bytes are whole. */
function readData(data: unknown, secrets: readonly string[], credentials: readonly string[]): unknown {
  if (data === undefined) return undefined;
  if (typeof data === 'string' && HEX.test(data)) return maskRevertData(data.toLowerCase(), credentials);
  if (typeof data === 'string') return data === '' ? data : scrubMessage(data, secrets);
  const text = JSON.stringify(data);
  return text.length <= MAX_DATA_LENGTH && maskSecrets(text, secrets) === text ? data : undefined;
}
