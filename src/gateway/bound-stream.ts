import type { JsonStream } from '../primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';

/**
 * A stream for as long as somebody wants it: it is cancelled when the scope is aborted, and `onEnd` runs once, when
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
    try {
      for await (const piece of source.pieces) {
        if (isOver) break;
        yield piece;
      }
      if (isOver) throw new RpcError('cancelled');
    } catch (error) {
      throw isOver ? new RpcError(performance.now() >= scope.deadline ? 'timedOut' : 'cancelled') : error;
    } finally {
      finish();
    }
  }

  signal.addEventListener('abort', finish);
  if (signal.aborted) finish();
  return { pieces: follow(), cancel: finish };
}
