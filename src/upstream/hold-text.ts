import type { CancelSignal } from '../chain/chain.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/** More than any call that a node runs can return, and any header with its lists. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Collects a result for callers that need the whole of it.
 * @param signal the caller has gone: the source is let go
 * @throws UpstreamFault when it is too large, breaks off, or is not wanted any more
 */
export async function holdText(result: JsonResult, signal?: CancelSignal): Promise<JsonText> {
  if (typeof result === 'string') return result;
  const cancel = (): void => result.cancel();
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel);
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of result.pieces) {
      length += piece.length;
      if (length > MAX_BYTES) throw new UpstreamFault('tooLarge', 'the answer is larger than can be');
      pieces.push(piece);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    if (length > MAX_BYTES) cancel();
  }
  if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has gone');
  return Buffer.concat(pieces, length).toString('utf8');
}
