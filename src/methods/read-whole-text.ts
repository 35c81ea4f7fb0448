import { isComplete, type JsonResult, type JsonText, textOf } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';

/** The text of a result of a chain; one that arrives in pieces is read to its end. Rejects with what its source throws. */
export function readWholeText(result: JsonResult): PromiseOrValue<JsonText> {
  return isComplete(result) ? textOf(result) : joinPieces(result.pieces);
}

async function joinPieces(pieces: AsyncIterable<Uint8Array>): Promise<JsonText> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read).toString('utf8');
}
