import { isAscii } from 'node:buffer';
import type { JsonStream } from '../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';

/**
 * Reads a stream to its end. `keep` gets the size of each piece and returns whether there is room for the piece; without room the stream is
 * cancelled, and the result is undefined.
 * @throws the error of the stream, or RpcError for bytes that are not UTF-8
 */
export async function collectStream(
  stream: JsonStream,
  keep: (bytes: number) => boolean,
): Promise<readonly Uint8Array[] | undefined> {
  const collected: Uint8Array[] = [];
  /** The decoder is created at the first piece that is not ASCII. */
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const check = (piece?: Uint8Array): void => {
    try {
      decoder?.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new RpcError('unavailable', 'the answer is not in UTF-8');
    }
  };
  try {
    for await (const piece of stream.pieces) {
      if (!keep(piece.length)) return undefined;
      if (decoder === undefined && !isAscii(piece)) {
        decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      }
      check(piece);
      collected.push(piece);
    }
    check();
    return collected;
  } finally {
    stream.cancel();
  }
}
