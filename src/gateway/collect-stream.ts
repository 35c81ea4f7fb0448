import type { JsonStream, JsonText } from '../primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';

/**
 * Reads a stream to its end as text. `keep` is told the size of each piece and says whether there is room for it;
 * without room the stream is cancelled and the outcome undefined.
 * @throws what the stream throws, and RpcError for bytes that are no UTF-8.
 */
export async function collectStream(
  stream: JsonStream,
  keep: (bytes: number) => boolean,
): Promise<JsonText | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new RpcError('unavailable', 'the answer is not in UTF-8');
    }
  };
  let text = '';
  try {
    for await (const piece of stream.pieces) {
      if (!keep(piece.length)) return undefined;
      text += decode(piece);
    }
    return text + decode();
  } finally {
    stream.cancel();
  }
}
