import { crc32 } from 'node:zlib';
import { isComplete, type JsonResult, type JsonStream } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { type Handler, type Routed, withScope } from '../routed-call.ts';

/** From asking another upstream to the first piece of its answer. */
const RESUME_LIMIT_MS = 10_000;
const DIFFERENT = 'another node words this answer differently';

/**
 * A stream that breaks off goes on with another upstream's answer to the same question, if that begins with the very
 * bytes that were passed on already (by their number and CRC-32). When no upstream is left that could, it ends with the
 * fault.
 */
export function resumeStreams(): Policy<Routed> {
  return createPolicy<Routed>({
    onResult: (exchange, result, next) =>
      isComplete(result) ? result : new ResumedStream(result, next, exchange),
  });
}

class ResumedStream implements JsonStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly #next: Handler<Routed>;
  readonly #exchange: Routed;
  #isCancelled = false;
  /** Of the question to a further upstream. */
  #scope: RequestScope | undefined;
  #source: JsonStream;

  constructor(source: JsonStream, next: Handler<Routed>, exchange: Routed) {
    this.#source = source;
    this.#next = next;
    this.#exchange = exchange;
    this.pieces = this.#read();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#scope?.abort();
    this.#source.cancel();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    let length = 0;
    let sum = 0;
    for (;;) {
      try {
        for await (const piece of skipKnown(this.#source, length, sum)) {
          length += piece.length;
          sum = crc32(piece, sum);
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof UpstreamFault) || this.#isCancelled) throw error;
        if (error.kind === 'aborted' || this.#exchange.route.isExhausted) throw error;
        this.#source = toStream(await this.#askAgain());
        // The new source is not yet cancelled.
        if (this.#isCancelled) this.#source.cancel();
      }
    }
  }

  #askAgain(): Promise<JsonResult> {
    const deadline = performance.now() + RESUME_LIMIT_MS;
    this.#scope = this.#exchange.scope.derive({ deadline, isDetached: true });
    return this.#next(withScope(this.#exchange, this.#scope));
  }
}

/** What follows the first `length` bytes. @throws UpstreamFault when those are not the ones with this checksum. */
async function* skipKnown(source: JsonStream, length: number, sum: number): AsyncGenerator<Uint8Array> {
  let left = length;
  let seen = 0;
  for await (const piece of source.pieces) {
    const known = piece.subarray(0, left);
    if (known.length > 0) seen = crc32(known, seen);
    left -= known.length;
    if (left > 0) continue;
    if (seen !== sum) {
      source.cancel();
      throw new UpstreamFault('wrong', DIFFERENT);
    }
    if (known.length < piece.length) yield piece.subarray(known.length);
    sum = seen;
  }
  if (left > 0) throw new UpstreamFault('wrong', DIFFERENT);
}

function toStream(result: JsonResult): JsonStream {
  if (typeof result !== 'string') return result;
  const bytes = Buffer.from(result);
  return {
    pieces: (async function* () {
      yield bytes;
    })(),
    cancel() {},
  };
}
