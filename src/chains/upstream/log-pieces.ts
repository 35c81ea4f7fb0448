import { setImmediate as turn } from 'node:timers/promises';
import { JsonBytes, type JsonText, SharedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../chain/errors.ts';
import { type LogLimits, type LogRange, refuseLogs } from '../../chain/log-range.ts';
import { LogRefusal, UpstreamFault } from '../../pool/fault.ts';
import { joinBytes, joinJsonBytes } from '../../pool/join-pieces.ts';
import { LONG_BYTES } from '../../pool/upstream-request.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';

/** Maximum number of concurrent requests for pieces of one `eth_getLogs` request. */
const MAX_RUNNING = 4;

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** Logs of a range of blocks: JSON without the surrounding brackets, and number of logs. */
type Piece = LogRange & { readonly text: string | Uint8Array; readonly results: number };

/** Splits an `eth_getLogs` request into pieces by block range. A refused piece is divided again, and the answers are joined in block order. */
export class LogPieces {
  readonly #limits: LogLimits;
  readonly #range: LogRange;
  /** Parts of refused pieces, to be requested next, beginning with the last part. */
  readonly #divided: LogRange[] = [];
  /** Number of the first block that is not in a piece yet. */
  #next: bigint;
  readonly #done: Piece[] = [];
  readonly #memory: AnswerMemory;
  readonly #ends: readonly bigint[];
  #results = 0;
  #bytes = 0;

  /**
   * @param memory memory reservation for the received pieces; the caller releases it
   * @param ends block numbers, ascending, at which a piece must end; pieces never extend across them
   */
  constructor(limits: LogLimits, range: LogRange, memory: AnswerMemory, ends: readonly bigint[] = []) {
    this.#ends = ends;
    this.#memory = memory;
    this.#limits = limits;
    this.#range = range;
    this.#next = range.first;
  }

  /**
   * Requests the logs of all blocks of the range, piece by piece.
   * @param ask requests one piece
   * @param maxBlocks returns the maximum number of blocks of a piece, which may become lower when nodes refuse pieces
   * @throws the error of the first piece that fails, because there is no partial answer
   */
  async requestAll(
    ask: (piece: LogRange) => Promise<JsonText | JsonBytes>,
    maxBlocks: () => number,
  ): Promise<JsonText | JsonBytes> {
    let failure: { readonly error: unknown } | undefined;
    const running = new Set<Promise<void>>();
    const begin = (piece: LogRange): void => {
      const work = ask(piece)
        .then((text) => this.add(piece, text))
        .catch((error: unknown) => {
          if (!this.#divide(piece, error)) failure ??= { error };
        })
        .finally(() => running.delete(work));
      running.add(work);
    };
    for (;;) {
      while (failure === undefined && running.size < MAX_RUNNING) {
        const piece = this.#takeNext(maxBlocks());
        if (piece === undefined) break;
        begin(piece);
      }
      if (failure !== undefined) throw failure.error;
      if (running.size === 0) return this.#join();
      await Promise.race(running);
    }
  }

  /** Adds the logs of a piece. @throws ChainError if there are too many logs in total, or if the answers of all callers fill the response buffer */
  add({ first, last }: LogRange, answer: JsonText | JsonBytes): PromiseOrValue<void> {
    if (typeof answer !== 'string') return this.#addBytes({ first, last }, answer);
    const text = answer.slice(answer.indexOf('[') + 1, answer.lastIndexOf(']')).trim();
    if (text === '') return;
    if (!this.#memory.hold(text.length)) throw new ChainError('busy', 'answers.bytes');
    this.#note({ first, last, text, results: countLogs(text) });
  }

  async #addBytes({ first, last }: LogRange, answer: JsonBytes): Promise<void> {
    const bytes = Buffer.from(await joinJsonBytes(answer));
    const text = bytes.subarray(bytes.indexOf('[') + 1, bytes.lastIndexOf(']'));
    if (!this.#memory.hold(text.length)) throw new ChainError('busy', 'answers.bytes');
    this.#note({ first, last, text, results: await countLogsInSlices(text) });
  }

  #note({ first, last, text, results }: Piece): void {
    this.#done.push({ first, last, text, results });
    this.#results += results;
    this.#bytes += text.length + 1;
    if (this.#results > this.#limits.results) throw this.#refuse('results');
    if (this.#bytes >= this.#limits.bytes) throw this.#refuse('bytes');
  }

  #takeNext(maxBlocks: number): LogRange | undefined {
    const divided = this.#divided.pop();
    if (divided !== undefined) return divided;
    const first = this.#next;
    if (first > this.#range.last) return undefined;
    const last = this.#ends.find((end) => end >= first) ?? this.#range.last;
    const end = Number.isFinite(maxBlocks) ? first + BigInt(maxBlocks) - 1n : last;
    this.#next = (end < last ? end : last) + 1n;
    return { first, last: this.#next - 1n };
  }

  /** Divides a piece that failed with `error`, if smaller pieces may succeed. @returns whether the piece was divided */
  #divide({ first, last }: LogRange, error: unknown): boolean {
    if (first === last || !mayBeTooMuch(error)) return false;
    const blocks = Number(last - first) + 1;
    const allowed = error instanceof LogRefusal ? error.allowedBelow(blocks) : undefined;
    const size = BigInt(Math.max(Math.ceil(blocks / MAX_PARTS), allowed ?? Math.ceil(blocks / 2)));
    const parts: LogRange[] = [];
    for (let at = first; at <= last; at += size) {
      parts.push({ first: at, last: at + size - 1n < last ? at + size - 1n : last });
    }
    this.#divided.push(...parts.reverse());
    return true;
  }

  #refuse(what: 'results' | 'bytes'): Error {
    let sum = 0;
    const passing = this.#sort().find(({ results, text }) => {
      sum += what === 'results' ? results : text.length + 1;
      return sum >= this.#limits[what];
    });
    return refuseLogs(what, this.#limits[what], this.#range, passing?.first ?? this.#range.first);
  }

  #sort(): readonly Piece[] {
    return this.#done.sort((a, b) => Number(a.first - b.first));
  }

  async #join(): Promise<JsonText | JsonBytes> {
    const texts = this.#sort().map(({ text }) => text);
    if (texts.every((text) => typeof text === 'string') && this.#bytes <= LONG_BYTES)
      return `[${texts.join(',')}]`;
    const parts: Uint8Array[] = [];
    for (const text of texts) {
      parts.push(parts.length === 0 ? OPEN : COMMA);
      parts.push(typeof text === 'string' ? Buffer.from(text) : text);
      if (text.length > COUNTED_BYTES) await turn();
    }
    parts.push(CLOSE);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return new JsonBytes(new SharedBytes(await joinBytes(parts, length)));
  }
}

/** Maximum number of parts of a refused piece; each part may be divided again. */
const MAX_PARTS = 64;

/** Returns whether a request for fewer blocks may succeed: the node refused the range, took too long, or sent too large an answer. */
function mayBeTooMuch(error: unknown): boolean {
  return (
    error instanceof LogRefusal ||
    (error instanceof UpstreamFault && (error.kind === 'tooLarge' || error.kind === 'timeout'))
  );
}

/** Member name that occurs exactly once in every log. */
const ONCE_A_LOG = '"logIndex"';
const NAME = Buffer.from(ONCE_A_LOG);
/** Number of bytes of logs that are searched or copied between two pauses, in at most 2 ms. */
const COUNTED_BYTES = 128 * 1024;

async function countLogsInSlices(text: Buffer): Promise<number> {
  let count = 0;
  for (let from = 0; from < text.length; from += COUNTED_BYTES) {
    // A member name that crosses a slice boundary is counted in the slice in which it begins.
    const slice = text.subarray(from, from + COUNTED_BYTES + NAME.length - 1);
    for (let at = slice.indexOf(NAME); at >= 0; at = slice.indexOf(NAME, at + NAME.length)) count++;
    await turn();
  }
  return count;
}

function countLogs(text: string): number {
  let count = 0;
  for (let at = text.indexOf(ONCE_A_LOG); at >= 0; at = text.indexOf(ONCE_A_LOG, at + ONCE_A_LOG.length))
    count++;
  return count;
}
