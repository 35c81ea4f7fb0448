import type { JsonResult, JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../../src/pool/fault.ts';

export type StreamScript = {
  /** Chunk size, bytes. */
  readonly pieceBytes?: number;
  /** Number of bytes after which the source breaks off. */
  readonly breakAt?: number;
  /** Boundaries of the chunks, instead of equal sizes. */
  readonly borders?: readonly number[];
};

/** A stream that records its cancellation. */
export type ScriptedStream = JsonStream & { readonly isCancelled: boolean };

export function createStream(text: string, script: StreamScript = {}): ScriptedStream {
  const bytes = Buffer.from(text);
  let isCancelled = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    const end = Math.min(script.breakAt ?? bytes.length, bytes.length);
    for (const [from, to] of listRanges(end, script)) {
      // A real source is always asynchronous.
      await Promise.resolve();
      if (isCancelled) throw new UpstreamFault('aborted', 'scripted cancel');
      yield bytes.subarray(from, to);
    }
    if (script.breakAt !== undefined) throw new UpstreamFault('unreachable', 'scripted break');
  }
  return {
    pieces: read(),
    cancel: () => {
      isCancelled = true;
    },
    get isCancelled() {
      return isCancelled;
    },
  };
}

/** Reads a whole result as text. */
export async function readAll(result: JsonResult): Promise<string> {
  if (typeof result === 'string') return result;
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function* listRanges(
  end: number,
  { pieceBytes = 16, borders }: StreamScript,
): Generator<readonly [number, number]> {
  const stops =
    borders ?? Array.from({ length: Math.floor(end / pieceBytes) }, (_, i) => (i + 1) * pieceBytes);
  let from = 0;
  for (const stop of [...stops.filter((border) => border < end).sort((a, b) => a - b), end]) {
    if (stop > from) yield [from, stop];
    from = stop;
  }
}
