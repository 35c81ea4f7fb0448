import { ChainError } from '../../chain/errors.ts';
import { UpstreamFault } from '../fault.ts';
import type { Policy } from '../routed-call.ts';

/** Nothing is asked for a caller whose time is up, and what fails then fails because of that. */
export function keepDeadline(): Policy {
  return (next) => async (exchange) => {
    const { deadline, limitMs } = exchange.scope;
    try {
      if (performance.now() >= deadline) throw new UpstreamFault('timeout', 'the time limit has passed');
      return await next(exchange);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'aborted' && performance.now() < deadline)
        throw new ChainError('aborted', 'aborted');
      if (error.kind === 'aborted' || performance.now() >= deadline) {
        const seconds = Math.round((limitMs ?? 0) / 100) / 10;
        throw new ChainError('timeout', `execution aborted (timeout = ${seconds}s)`);
      }
      throw error;
    }
  };
}
