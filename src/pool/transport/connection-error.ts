import { errors } from 'undici';
import { readErrorCode } from '../../util/system-error.ts';
import { UpstreamFault } from '../fault.ts';

const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** Errors of undici for responses that are not valid HTTP. */
const PROTOCOL_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];
const BROKEN: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Returns the fault for a network error. Only the code of the error is used, because the message may contain the address. */
export function describeConnectionError(error: unknown): UpstreamFault {
  // An `UpstreamFault` means that this process destroyed the connection for the reason in the fault.
  if (error instanceof UpstreamFault) return error;
  const code = readCode(error);
  if (TIMEOUTS.has(code))
    return new UpstreamFault('timeout', 'the node did not accept the connection in time');
  if (PROTOCOL_ERRORS.some((type) => error instanceof type)) {
    return new UpstreamFault('malformed', 'the answer is not HTTP');
  }
  if (BROKEN.has(code)) return new UpstreamFault('unreachable', 'the connection to the node was lost');
  return new UpstreamFault(
    'unreachable',
    code === '' ? 'no connection to the node' : `no connection to the node (${code})`,
  );
}

/** Whether an established connection was lost. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(readCode(error));
}

/** If several addresses of one host fail, the error is an AggregateError, which has the code of its first error. */
function readCode(error: unknown): string {
  return readErrorCode(error) ?? '';
}
