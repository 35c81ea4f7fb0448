import { type JsonStream, passOn } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../chain/errors.ts';
import { RpcError } from '../rpc/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';

/**
 * Waits for the first bytes of a stream. If the source fails before its first bytes, the client can still get a JSON-RPC error. If the scope is
 * aborted while waiting, the source is cancelled.
 * @param toError converts failures after the first bytes; the returned stream throws the result
 * @throws ChainError (by rejection) `aborted` if the scope is aborted, `unavailable` for an empty stream; errors of the source
 */
export async function openStream(
  source: JsonStream,
  scope: RequestScope,
  toError: (error: unknown) => RpcError,
): Promise<JsonStream> {
  const { signal } = scope;
  let isCancelled = false;

  function cancel(): void {
    isCancelled = true;
    source.cancel();
  }

  async function* continueFrom(
    first: Uint8Array,
    rest: AsyncIterator<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield first;
    try {
      yield* { [Symbol.asyncIterator]: () => rest };
    } catch (error) {
      throw isCancelled ? new RpcError('cancelled') : toError(error);
    }
  }

  signal.addEventListener('abort', cancel);
  try {
    if (signal.aborted) throw new ChainError('aborted', 'the request was cancelled');
    const pieces = source.pieces[Symbol.asyncIterator]();
    const first = await takeFirst(pieces);
    return passOn(source, continueFrom(first, pieces), cancel);
  } catch (error) {
    source.cancel();
    throw isCancelled ? new ChainError('aborted', 'the request was cancelled') : error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function takeFirst(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) throw new ChainError('unavailable', 'the answer was empty');
    if (next.value.length > 0) return next.value;
  }
}
