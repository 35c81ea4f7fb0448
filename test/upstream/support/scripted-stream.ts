import type { JsonResult, JsonStream } from '../../../src/primitives/json-result.ts';
import { UpstreamFault } from '../../../src/upstream/fault.ts';

export type StreamScript = {
  /** Bytes of a piece. */
  readonly pieceBytes?: number;
  /** After how many bytes the source breaks off. */
  readonly breakAt?: number;
  /** Borders of the pieces, instead of equal ones. */
  readonly borders?: readonly number[];
};

/** A stream that keeps account of what its reader did. */
export type ScriptedStream = JsonStream & { readonly isCancelled: boolean };

export function createStream(text: string, script: StreamScript = {}): ScriptedStream {
  const bytes = Buffer.from(text);
  let isCancelled = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    const end = Math.min(script.breakAt ?? bytes.length, bytes.length);
    for (const [from, to] of listRanges(end, script)) {
      // A real source never has everything at hand.
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

/** The whole of a result as text. */
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
