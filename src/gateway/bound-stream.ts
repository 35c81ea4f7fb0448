import { type JsonStream, passOn } from '../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { createExpiry } from './create-expiry.ts';

/**
 * Bytes of one stream per scheduler slot. If more were sent per slot, a fast client would receive the whole stream in one iteration of the event
 * loop.
 */
const BYTES_PER_SLOT = 64 * 1024;
/** Estimated processor time to make and pass on `BYTES_PER_SLOT`, ms. */
const TURN_COST_MS = 0.5;

/**
 * Binds a stream to its scope: aborting the scope cancels the stream, and `onEnd` runs once when the stream is read to its end, fails or is
 * cancelled. A cancelled stream never ends as if it were complete: it throws RpcError, `timedOut` after the deadline and otherwise `cancelled`.
 */
export function bindStream(source: JsonStream, scope: RequestScope, onEnd?: () => void): JsonStream {
  const { signal } = scope;
  let isOver = false;

  function finish(): void {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', finish);
    source.cancel();
    onEnd?.();
  }

  async function* follow(): AsyncGenerator<Uint8Array, void, undefined> {
    let bytes = 0;
    try {
      for await (const piece of source.pieces) {
        if (isOver) break;
        yield piece;
        bytes += piece.length;
        if (bytes < BYTES_PER_SLOT) continue;
        bytes = 0;
        await SCHEDULER.pause(scope.owner ?? '', TURN_COST_MS);
      }
      if (isOver) throw new RpcError('cancelled');
    } catch (error) {
      if (!isOver) throw error;
      throw performance.now() >= scope.deadline ? createExpiry(scope) : new RpcError('cancelled');
    } finally {
      finish();
    }
  }

  signal.addEventListener('abort', finish);
  if (signal.aborted) finish();
  return passOn(source, follow(), finish);
}
