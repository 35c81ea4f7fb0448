import { UpstreamFault } from '../fault.ts';
import type { SendOptions } from './transport.ts';

/** Retry delay if all in-flight places are taken, ms; short, because a place may become free at any moment. */
const FULL_RETRY_MS = 10;

/** Returns the reason not to send a call; undefined if the call may be sent. */
export function refuseCall(
  options: SendOptions,
  isClosed: boolean,
  isFull: boolean,
): UpstreamFault | undefined {
  if (isClosed) return new UpstreamFault('unreachable', 'the connections to the node are closed');
  if (options.signal?.aborted === true) {
    return new UpstreamFault('aborted', 'the call was cancelled');
  }
  if (options.deadline <= performance.now()) {
    return new UpstreamFault('timeout', 'no time is left to send the call to the node');
  }
  if (isFull) {
    return new UpstreamFault(
      'rateLimited',
      'too many calls are in flight to the node',
      FULL_RETRY_MS,
      'node.inFlight',
    );
  }
  return undefined;
}
