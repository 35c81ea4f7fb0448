import { LogRefusal } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../upstream-request.ts';

/**
 * Learns the maximum length of block ranges that a node searches for logs, and does not send longer ranges to it.
 * @throws LogRefusal if the range exceeds the learned limit of the node
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
