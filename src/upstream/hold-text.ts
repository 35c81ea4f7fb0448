import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/** More than any call that a node runs can return, and any header with its lists. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Collects a result that is needed whole. @throws UpstreamFault when it is too large, or breaks off */
export async function holdText(result: JsonResult): Promise<JsonText> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of result.pieces) {
    length += piece.length;
    if (length > MAX_BYTES) {
      result.cancel();
      throw new UpstreamFault('tooLarge', 'the answer is larger than can be');
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length).toString('utf8');
}
