import { errors } from 'undici';
import { readErrorCode } from '../../util/system-error.ts';
import { UpstreamFault } from '../fault.ts';

const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** Answers that are no HTTP. */
const PROTOCOL_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];
const BROKEN: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The fault that an error of the network stands for. Only its code is kept: the message may hold the address. */
export function describeConnectionError(error: unknown): UpstreamFault {
  // A connection that was ended here.
  if (error instanceof UpstreamFault) return error;
  const code = readCode(error);
  if (TIMEOUTS.has(code))
    return new UpstreamFault('timeout', 'the node does not accept the connection in time');
  if (PROTOCOL_ERRORS.some((type) => error instanceof type)) {
    return new UpstreamFault('malformed', 'the answer is not HTTP');
  }
  if (BROKEN.has(code)) return new UpstreamFault('unreachable', 'the connection to the node broke');
  return new UpstreamFault(
    'unreachable',
    code === '' ? 'no connection to the node' : `no connection to the node (${code})`,
  );
}

/** Whether a connection that stood before is gone. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(readCode(error));
}

/** Several addresses of one name fail together as an AggregateError, which has the code of the first. */
function readCode(error: unknown): string {
  return readErrorCode(error) ?? '';
}
