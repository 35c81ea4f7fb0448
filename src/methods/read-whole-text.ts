import {
  isComplete,
  type JsonResult,
  type JsonText,
  textOf,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';

/** Returns the text of a chain's result; a stream is read to its end. Rejects with the errors of the stream. */
export function readWholeText(result: JsonResult): PromiseOrValue<JsonText> {
  return isComplete(result) ? textOf(result) : joinPieces(result.pieces);
}

async function joinPieces(pieces: AsyncIterable<Uint8Array>): Promise<JsonText> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read).toString('utf8');
}
