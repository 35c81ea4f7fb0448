import { LogRefusal } from '../fault.ts';
import type { Directed, Policy } from '../routed-call.ts';

/** Remembers which ranges of blocks a node refuses to search for logs, and does not ask it for them again. */
export function learnLogSpans(): Policy<Directed> {
  return (next) => (exchange) => {
    const { logBlocks } = exchange.call;
    if (logBlocks === undefined) return next(exchange);
    const { logSpan } = exchange.upstream;
    if (logBlocks > logSpan.limit) {
      return Promise.reject(new LogRefusal('range', logSpan.reason, logSpan.limit));
    }
    return next(exchange).then(
      (result) => {
        logSpan.noteServed(logBlocks);
        return result;
      },
      (error: unknown) => {
        if (error instanceof LogRefusal && error.of === 'range') {
          logSpan.noteRefused(logBlocks, error.allowedBelow(logBlocks), error.message);
        }
        throw error;
      },
    );
  };
}
