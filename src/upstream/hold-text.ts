import type { CancelSignal } from '../chain/chain.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/**
 * Collects a result for callers that need the whole of it. The transport bounds it: no answer is longer than `answerBytes`.
 * @param signal the caller has gone: the source is let go
 * @throws UpstreamFault when it breaks off, or is not wanted any more
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
      pieces.push(piece);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has gone');
  return Buffer.concat(pieces, length).toString('utf8');
}
