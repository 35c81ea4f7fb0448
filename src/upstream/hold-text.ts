import type { JsonResult, JsonStream, JsonText } from '../primitives/json-result.ts';
import type { CancelSignal } from '../util/cancel-source.ts';
import { UpstreamFault } from './fault.ts';

/**
 * Collects a result for callers that need the whole of it. The transport bounds it: no answer is longer than `answerBytes`.
 * @param signal the caller has gone: the source is let go
 * @throws UpstreamFault when it breaks off, or is not wanted any more
 */
export function holdText(result: JsonResult, signal?: CancelSignal): Promise<JsonText> {
  return hold(result, Number.POSITIVE_INFINITY, signal) as Promise<JsonText>;
}

/**
 * Collects a result of at most so many bytes; a longer one is a stream from its beginning on.
 * @throws UpstreamFault as `holdText`
 */
export async function hold(result: JsonResult, bytes: number, signal?: CancelSignal): Promise<JsonResult> {
  if (typeof result === 'string') return result;
  const cancel = (): void => result.cancel();
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel);
  const held: Uint8Array[] = [];
  const rest = result.pieces[Symbol.asyncIterator]();
  let length = 0;
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      held.push(next.value);
      length += next.value.length;
      if (length > bytes) return continueFrom(held, rest, result);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has gone');
  return Buffer.concat(held, length).toString('utf8');
}

function continueFrom(held: Uint8Array[], rest: AsyncIterator<Uint8Array>, source: JsonStream): JsonStream {
  async function* read(): AsyncGenerator<Uint8Array> {
    for (let piece = held.shift(); piece !== undefined; piece = held.shift()) yield piece;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { pieces: read(), cancel: () => source.cancel() };
}
