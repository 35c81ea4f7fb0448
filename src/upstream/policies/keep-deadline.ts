import { ChainError } from '../../chain/errors.ts';
import { UpstreamFault } from '../fault.ts';
import type { Policy } from '../routed-call.ts';

/** Nothing is asked for a caller whose time is up, and what fails then fails because of that. */
export function keepDeadline(): Policy {
  return (next) => (exchange) => {
    const { deadline, limitMs } = exchange.scope;
    const translate = (error: unknown): never => {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'aborted' && performance.now() < deadline)
        throw new ChainError('aborted', 'aborted');
      if (error.kind === 'aborted' || performance.now() >= deadline) {
        const seconds = Math.round((limitMs ?? 0) / 100) / 10;
        throw new ChainError('timeout', `execution aborted (timeout = ${seconds}s)`);
      }
      throw error;
    };
    const isLate = performance.now() >= deadline;
    const work = isLate
      ? Promise.reject(new UpstreamFault('timeout', 'the time limit has passed'))
      : next(exchange);
    return work.catch(translate);
  };
}
