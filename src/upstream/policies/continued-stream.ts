import type { JsonResult, JsonStream } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { Refutation, UpstreamFault } from '../fault.ts';
import { type Exchange, type Handler, withScope } from '../routed-call.ts';
import { areSame, type Passed, PassedBytes } from './passed-bytes.ts';

/** From asking anew to the first piece of the answer. */
const RESUME_LIMIT_MS = 10_000;

/** The bytes that were passed on are not those with which another answer begins. */
class OtherBytes extends UpstreamFault {
  constructor() {
    super('wrong', 'another node words this answer differently');
  }
}

/**
 * A stream that goes on with another one where it breaks off, if that begins with the very bytes that were passed on already (by their number and a checksum under a
 * secret key: a node that lies could give its bytes any other checksum of another's).
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
    let known: Passed | undefined;
    let refutation: Refutation | undefined;
    for (;;) {
      const passed = new PassedBytes();
      const { pieces } = this.#source;
      try {
        const news =
          known === undefined ? pieces : skipKnown(this.#source, known, passed, refutation !== undefined);
        for await (const piece of news) {
          passed.add(piece);
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof UpstreamFault) || this.#isCancelled || error.kind === 'aborted') throw error;
        if (passed.length > (known?.length ?? 0)) known = passed.end();
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

/**
 * What follows bytes that are known.
 * @param passed gets the bytes that are left out, as long as they may be the known ones
 * @param isJudged whether a source that begins otherwise is read to its end, so that it is compared with its block
 * @throws UpstreamFault when it begins with others
 */
async function* skipKnown(
  source: JsonStream,
  known: Passed,
  passed: PassedBytes,
  isJudged: boolean,
): AsyncGenerator<Uint8Array> {
  const seen = new PassedBytes();
  let isCompared = false;
  let isOther = false;
  for await (const piece of source.pieces) {
    if (isOther) continue;
    if (isCompared) {
      yield piece;
      continue;
    }
    const begin = piece.subarray(0, known.length - seen.length);
    seen.add(begin);
    passed.add(begin);
    if (seen.length < known.length) continue;
    isCompared = true;
    isOther = !areSame(seen.end(), known);
    if (!isOther) {
      if (begin.length < piece.length) yield piece.subarray(begin.length);
    } else if (!isJudged) {
      source.cancel();
      break;
    }
  }
  if (isOther || seen.length < known.length) throw new OtherBytes();
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
