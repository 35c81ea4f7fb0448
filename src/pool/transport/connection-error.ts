import { errors } from 'undici';
import { readErrorCode } from '../../util/system-error.ts';
import { UpstreamFault } from '../fault.ts';

const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** Errors of responses that are not HTTP. */
const PROTOCOL_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];
const BROKEN: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Returns the fault for a network error. Only its code is kept: the message may contain the address. */
export function describeConnectionError(error: unknown): UpstreamFault {
  // The connection was ended by this process.
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

/** Several addresses of one name fail together as an AggregateError, which has the code of the first. */
function readCode(error: unknown): string {
  return readErrorCode(error) ?? '';
}
