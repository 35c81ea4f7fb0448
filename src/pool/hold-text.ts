import {
  isComplete,
  JsonBytes,
  type JsonResult,
  type JsonStream,
  type JsonText,
  SharedBytes,
} from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../chain/errors.ts';
import { AnswerMemory } from '../util/answer-memory.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { UpstreamFault } from './fault.ts';
import { joinBytes, joinText, readText } from './join-pieces.ts';
import { staysBytes } from './upstream-request.ts';

/** Memory owner, cancellation and result type of a buffered result. */
export type HoldOptions = {
  /** Scope of the caller; when it aborts, the source is cancelled. */
  readonly scope?: RequestScope;
  /** Opens a memory reservation for a request of the service itself, whose scope has no reservation of a caller. */
  readonly memory: () => AnswerMemory;
  /** Whether the result may be returned as bytes instead of text. */
  readonly takesBytes?: boolean;
  /** Whether a long result may be returned as bytes instead of text. */
  readonly takesLongBytes?: boolean;
};

/** Collects a result like `holdAll`, always as text. */
export function holdText(result: JsonResult, options: HoldOptions): Promise<JsonText> {
  return holdAll(result, { ...options, takesBytes: false, takesLongBytes: false }) as Promise<JsonText>;
}

/**
 * Collects the complete result. The transport limits the length of the result to `answerBytes`.
 * @throws UpstreamFault when the result breaks off, or when the scope is aborted
 * @throws ChainError `busy` when the budget for buffered responses is used up by the answers of all callers
 */
export function holdAll(result: JsonResult, options: HoldOptions): Promise<JsonResult> {
  return hold(result, Number.POSITIVE_INFINITY, options);
}

/**
 * Reads a stream to its end, so that its checks run, and drops the bytes.
 * @returns an empty stream
 * @throws the stream's error; UpstreamFault when the scope is aborted
 */
export async function drain(stream: JsonStream, { signal }: RequestScope): Promise<JsonStream> {
  const cancel = (): void => stream.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  try {
    for await (const _ of stream.pieces) if (signal.aborted) break;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  if (signal.aborted) throw new UpstreamFault('aborted', 'the caller has cancelled the request');
  // The source has been read to its end, so the returned stream is empty.
  return { pieces: stream.pieces, cancel };
}

/**
 * Collects a result of at most `bytes` bytes. If a result is longer than `bytes`, a stream that contains the whole result is returned.
 * @throws UpstreamFault and ChainError, as `holdAll`
 */
export async function hold(result: JsonResult, bytes: number, options: HoldOptions): Promise<JsonResult> {
  const { scope, memory: openMemory } = options;
  if (isComplete(result)) return staysBytes(result.length, options) ? result : readText(result);
  const signal = scope?.signal;
  const memory = scope?.answers === undefined ? openMemory() : AnswerMemory.of(scope);
  const cancel = (): void => result.cancel();
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel);
  const reserved: Uint8Array[] = [];
  const rest = result.pieces[Symbol.asyncIterator]();
  let length = 0;
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      if (!memory.hold(next.value.length)) {
        cancel();
        throw new ChainError('busy', 'answers.bytes');
      }
      reserved.push(next.value);
      length += next.value.length;
      if (length > bytes) return continueFrom(reserved, rest, result);
    }
    if (signal?.aborted === true) throw new UpstreamFault('aborted', 'the caller has cancelled the request');
    if (!staysBytes(length, options)) return await joinText(reserved);
    return new JsonBytes(new SharedBytes(await joinBytes(reserved, length)));
  } finally {
    memory.release();
    signal?.removeEventListener('abort', cancel);
  }
}

function continueFrom(
  reserved: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  source: JsonStream,
): JsonStream {
  async function* read(): AsyncGenerator<Uint8Array> {
    for (let piece = reserved.shift(); piece !== undefined; piece = reserved.shift()) yield piece;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { pieces: read(), cancel: () => source.cancel() };
}
