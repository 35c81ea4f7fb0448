import type { JsonResult, JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { Refutation, UpstreamFault } from '../fault.ts';
import { type Handler, type RequestContext, withScope } from '../upstream-request.ts';
import { areSame, type Passed, PassedBytes } from './passed-bytes.ts';

/** Time limit from the resumed request to the first piece of its answer, ms. */
const RESUME_LIMIT_MS = 10_000;

/** Fault of a resumed answer that does not begin with the bytes that were already passed on. */
class OtherBytes extends UpstreamFault {
  constructor() {
    super('wrong', 'the answer of another node has different bytes');
  }
}

/**
 * Continues a failed stream with another upstream's answer, if this answer begins with exactly the bytes that were already passed on. The beginnings
 * are compared by their length and by a checksum with a secret key. Without the key, a lying node could craft bytes with the same checksum as another
 * node's answer. If a node's answer was refuted at its end, the answers of other nodes are read to their ends even if they begin differently. An
 * answer that passes verification then shows that the first node was wrong.
 */
export class ContinuedStream<E extends RequestContext> implements JsonStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly #next: Handler<E>;
  /** Returns the request to send after a fault; undefined if the stream ends with the fault. */
  readonly #choose: (fault: UpstreamFault) => E | undefined;
  #isCancelled = false;
  /** Scope of the last request. */
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
        // A different answer was read to its end and verified. The bytes that were already passed on are thus wrong, and no answer can continue them.
        else if (refutation !== undefined && error instanceof OtherBytes) throw refutation;
        const context = this.#choose(error);
        if (context === undefined) throw refutation ?? error;
        this.#source = toStream(await this.#ask(context));
        // The stream was cancelled while the request ran, so the source of the new answer must be cancelled too.
        if (this.#isCancelled) this.#source.cancel();
      }
    }
  }

  #ask(context: E): Promise<JsonResult> {
    const deadline = performance.now() + RESUME_LIMIT_MS;
    this.#scope = context.scope.derive({ deadline, isDetached: true });
    return this.#next(withScope(context, this.#scope));
  }
}

/**
 * Yields the bytes after the known bytes.
 * @param passed gets the bytes that are compared with the known bytes; the caller adds the yielded bytes
 * @param isChecked whether a source that begins with other bytes is still read to its end, so that its answer is verified
 * @throws UpstreamFault if the source does not begin with the known bytes
 */
async function* skipKnown(
  source: JsonStream,
  known: Passed,
  passed: PassedBytes,
  isChecked: boolean,
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
    } else if (!isChecked) {
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
