import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/**
 * Returns a stream that yields the pieces of `source` unchanged.
 * @param onFault called with the fault that ends the stream, unless the consumer cancelled the stream
 * @param onEnd called once, when the stream has ended or was cancelled
 */
export function watchStream(
  source: JsonStream,
  onFault: (fault: UpstreamFault) => void,
  onEnd: () => void,
): JsonStream {
  let isOpen = true;
  const end = (): void => {
    if (isOpen) onEnd();
    isOpen = false;
  };
  return {
    pieces: readWatched(source, onFault, end),
    cancel() {
      end();
      source.cancel();
    },
  };
}

async function* readWatched(
  source: JsonStream,
  onFault: (fault: UpstreamFault) => void,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source.pieces;
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind !== 'aborted') onFault(error);
    throw error;
  } finally {
    end();
  }
}
