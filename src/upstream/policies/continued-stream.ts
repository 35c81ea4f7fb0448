import { createHash } from 'node:crypto';
import type { JsonResult, JsonStream } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { Refutation, UpstreamFault } from '../fault.ts';
import { type Exchange, type Handler, withScope } from '../routed-call.ts';

/** From asking anew to the first piece of the answer. */
const RESUME_LIMIT_MS = 10_000;

/** The bytes that were passed on are not those with which another answer begins. */
class OtherBytes extends UpstreamFault {
  constructor() {
    super('wrong', 'another node words this answer differently');
  }
}

/**
 * A stream that goes on with another one where it breaks off, if that begins with the very bytes that were passed on already (by their number and SHA-256: a node that lies
 * can give its bytes the checksum of another's).
 * Where an answer was refuted at its end, others are read to theirs, whether they begin so or not: which of them is right tells which node was wrong.
 */
export class ContinuedStream<E extends Exchange> implements JsonStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly #next: Handler<E>;
  /** What is asked after a fault; undefined where the stream ends with it. */
  readonly #choose: (fault: UpstreamFault) => E | undefined;
  #isCancelled = false;
  /** Of the question that was asked last. */
  #scope: RequestScope | undefined;
  #source: JsonStream;

  constructor(source: JsonStream, next: Handler<E>, choose: (fault: UpstreamFault) => E | undefined) {
    this.#source = source;
    this.#next = next;
    this.#choose = choose;
    this.pieces = this.#read();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#scope?.abort();
    this.#source.cancel();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    let length = 0;
    const passed = createHash('sha256');
    let refutation: Refutation | undefined;
    for (;;) {
      try {
        const known = { length, hash: passed.copy().digest('hex') };
        for await (const piece of skipKnown(this.#source, known, refutation !== undefined)) {
          length += piece.length;
          passed.update(piece);
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof UpstreamFault) || this.#isCancelled || error.kind === 'aborted') throw error;
        if (error instanceof Refutation) refutation = error;
        // An answer that was read to its end is right: so what was passed on is not, and no other answer goes on with it.
        else if (refutation !== undefined && error instanceof OtherBytes) throw refutation;
        const exchange = this.#choose(error);
        if (exchange === undefined) throw refutation ?? error;
        this.#source = toStream(await this.#ask(exchange));
        // The new source is not yet cancelled.
        if (this.#isCancelled) this.#source.cancel();
      }
    }
  }

  #ask(exchange: E): Promise<JsonResult> {
    const deadline = performance.now() + RESUME_LIMIT_MS;
    this.#scope = exchange.scope.derive({ deadline, isDetached: true });
    return this.#next(withScope(exchange, this.#scope));
  }
}

/** Bytes that were passed on. */
type Known = { readonly length: number; readonly hash: string };

/**
 * What follows bytes that are known.
 * @param isJudged whether a source that begins otherwise is read to its end, so that it is compared with its block
 * @throws UpstreamFault when it begins with others
 */
async function* skipKnown(
  source: JsonStream,
  { length, hash }: Known,
  isJudged: boolean,
): AsyncGenerator<Uint8Array> {
  let left = length;
  const seen = createHash('sha256');
  let isCompared = false;
  let isOther = false;
  for await (const piece of source.pieces) {
    if (isOther) continue;
    const known = piece.subarray(0, left);
    if (known.length > 0) seen.update(known);
    left -= known.length;
    if (left > 0) continue;
    if (!isCompared) {
      isCompared = true;
      isOther = seen.digest('hex') !== hash;
    }
    if (isOther) {
      if (isJudged) continue;
      source.cancel();
      break;
    }
    if (known.length < piece.length) yield piece.subarray(known.length);
  }
  if (isOther || left > 0) throw new OtherBytes();
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
