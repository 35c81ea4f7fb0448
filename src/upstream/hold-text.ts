import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { UpstreamFault } from './fault.ts';

/** Collects a result for callers that need the whole of it; transports bound its length. */
export async function holdText(result: JsonResult): Promise<JsonText> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  try {
    return Buffer.concat(pieces).toString('utf8');
  } catch {
    throw new UpstreamFault('tooLarge', 'the answer is larger than can be held');
  }
}
