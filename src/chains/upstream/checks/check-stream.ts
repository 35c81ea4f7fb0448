import {
  isComplete,
  type JsonResult,
  type JsonStream,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { awaitAnswerSlot } from '../../../pool/transport/answer-slots.ts';

/** Maximum number of bytes that are checked in one turn of the event loop. A read from an HTTP connection returns at most this number of bytes. */
const SLICE_BYTES = 128 * 1024;

/**
 * Checks the bytes of a result as they arrive. `add` must not retain a piece, because its memory may be reused, and receives the next piece only
 * after it has finished. `add` and `finish` throw UpstreamFault if the result is wrong.
 */
export interface ByteCheck {
  add(piece: Uint8Array): PromiseOrValue<void>;
  finish(): PromiseOrValue<void>;
}

/** A `ByteCheck` that is always synchronous. */
export interface PromptByteCheck {
  add(piece: Uint8Array): void;
  finish(): void;
}

/** Checks a result as it arrives. `add` and `finish` throw an UpstreamFault if the result is wrong. */
export interface StreamCheck {
  /** @param piece the next bytes, each as one UTF-16 unit (Latin-1); a complete text is one piece */
  add(piece: string): void;
  finish(): void;
}

/** Checks a result and returns it; a stream is checked while its consumer reads it. */
export function checkResult(result: JsonResult, check: PromptByteCheck): JsonResult {
  if (!isComplete(result)) return checkBytes(result, check);
  check.add(typeof result === 'string' ? Buffer.from(result.trimStart()) : result.value.bytes);
  check.finish();
  return result;
}

/**
 * Returns a stream that checks its pieces as Latin-1 text. If the check fails, the stream ends with an error, at the latest before its last piece.
 */
export function checkStream(source: JsonStream, check: StreamCheck): JsonStream {
  return checkBytes(source, { add: (piece) => check.add(toLatin1(piece)), finish: () => check.finish() });
}

/** Returns a stream that checks its bytes. If the check fails, the stream ends with an error, at the latest before its last piece. */
export function checkBytes(source: JsonStream, check: ByteCheck): JsonStream {
  return { pieces: readChecked(source, check), cancel: () => source.cancel() };
}

/** Yields each piece only after the next piece has passed the check, and the last piece only after `finish` has succeeded. */
async function* readChecked(source: JsonStream, check: ByteCheck): AsyncGenerator<Uint8Array> {
  let buffered: Uint8Array | undefined;
  try {
    for await (const piece of source.pieces) {
      // HTTP pieces are small and arrive in separate turns of the event loop, but a WebSocket message of any size is one piece.
      if (piece.length > SLICE_BYTES) await addInSlots(piece, check);
      else {
        const added = check.add(piece);
        if (added instanceof Promise) await added;
      }
      if (buffered !== undefined) yield buffered;
      buffered = piece;
    }
    await check.finish();
  } catch (error) {
    source.cancel();
    throw error;
  }
  if (buffered !== undefined) yield buffered;
}

async function addInSlots(piece: Uint8Array, check: ByteCheck): Promise<void> {
  for (let at = 0; at < piece.length; at += SLICE_BYTES) {
    if (at > 0) await awaitAnswerSlot();
    await check.add(piece.subarray(at, at + SLICE_BYTES));
  }
}

function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
