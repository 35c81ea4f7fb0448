import type { JsonStream } from '../primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/** The same stream; `onFault` learns of the fault that it breaks off with, unless the reader gave it up. */
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
