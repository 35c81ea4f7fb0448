import { LogRefusal } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../upstream-request.ts';

/**
 * Remembers block ranges that a node refuses to search for logs, and does not send ranges of this length again.
 * @throws LogRefusal if the range exceeds the known limit of the node
 */
export function learnLogSpans(): Policy<Directed> {
  return createPolicy({
    begin(context) {
      const { logBlocks } = context.call;
      const { logSpan } = context.upstream;
      if (logBlocks !== undefined && logBlocks > logSpan.limit) {
        throw new LogRefusal('range', logSpan.reason, logSpan.limit);
      }
      return context;
    },
    onResult({ call: { logBlocks }, upstream }, result) {
      if (logBlocks !== undefined) upstream.logSpan.noteServed(logBlocks);
      return result;
    },
    onError({ call: { logBlocks }, upstream }, error) {
      if (logBlocks !== undefined && error instanceof LogRefusal && error.of === 'range') {
        upstream.logSpan.noteRefused(logBlocks, error.allowedBelow(logBlocks), error.message);
      }
      return error;
    },
  });
}
