import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/**
 * Returns a stream that yields the pieces of `source` unchanged. @param onFault called with the fault that ends the stream, unless the consumer
 * cancelled the stream
 */
export function watchStream(source: JsonStream, onFault: (fault: UpstreamFault) => void): JsonStream {
  return { pieces: readWatched(source, onFault), cancel: () => source.cancel() };
}

async function* readWatched(
  source: JsonStream,
  onFault: (fault: UpstreamFault) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source.pieces;
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind !== 'aborted') onFault(error);
    throw error;
  }
}
