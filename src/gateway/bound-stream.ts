import { type JsonStream, passOn } from '../primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { TURNS } from '../util/turn-queue.ts';

/** Of one stream in one turn of the event loop; a client that reads fast would have all of it in one. */
const BYTES_PER_TURN = 64 * 1024;
/** What it takes to make so many bytes and to hand them over, milliseconds. */
const TURN_COST_MS = 0.5;

/**
 * A stream bound to its scope: it is cancelled when the scope is aborted, and `onEnd` runs once, when
 * it was read to its end, broke off or was cancelled. Cancelled pieces never end as if they were complete: they throw.
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
        if (bytes < BYTES_PER_TURN) continue;
        bytes = 0;
        await TURNS.pause(scope.owner ?? '', TURN_COST_MS);
      }
      if (isOver) throw new RpcError('cancelled');
    } catch (error) {
      if (!isOver) throw error;
      throw performance.now() >= scope.deadline
        ? new RpcError('timedOut', 'request.time')
        : new RpcError('cancelled');
    } finally {
      finish();
    }
  }

  signal.addEventListener('abort', finish);
  if (signal.aborted) finish();
  return passOn(source, follow(), finish);
}
