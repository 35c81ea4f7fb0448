import { ChainError } from '../chain/errors.ts';
import { type LogLimits, type LogRange, refuseLogs } from '../chain/log-range.ts';
import type { JsonText } from '../primitives/json-result.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import { LogRefusal, UpstreamFault } from './fault.ts';

/** Pieces of one question that nodes are asked for at the same time. */
const MAX_RUNNING = 4;

/** Logs of some of the blocks, without the brackets around them. */
type Piece = LogRange & { readonly text: string; readonly results: number };

/** A question for logs in pieces: what nodes refuse is divided, and the answers are put together in the order of the blocks. */
export class LogPieces {
  readonly #limits: LogLimits;
  readonly #range: LogRange;
  /** Refused pieces, divided: the next one last. */
  readonly #divided: LogRange[] = [];
  /** First block that is in no piece yet. */
  #next: bigint;
  readonly #done: Piece[] = [];
  readonly #memory: AnswerMemory;
  readonly #ends: readonly bigint[];
  #results = 0;
  #bytes = 0;

  /**
   * @param memory for the pieces, which the caller releases
   * @param ends blocks after which another piece begins, in order
   */
  constructor(limits: LogLimits, range: LogRange, memory: AnswerMemory, ends: readonly bigint[] = []) {
    this.#ends = ends;
    this.#memory = memory;
    this.#limits = limits;
    this.#range = range;
    this.#next = range.first;
  }

  /**
   * Asks for all blocks of the range.
   * @param ask one piece @param maxBlocks of a piece, which may change as nodes refuse
   * @throws what a piece fails with: an answer is whole or there is none
   */
  async askAll(ask: (piece: LogRange) => Promise<JsonText>, maxBlocks: () => number): Promise<JsonText> {
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

  /** @throws ChainError when there is more than the network gives in one answer, or answers of all callers hold as much as they may */
  add({ first, last }: LogRange, answer: JsonText): void {
    const text = answer.slice(answer.indexOf('[') + 1, answer.lastIndexOf(']')).trim();
    if (text === '') return;
    if (!this.#memory.hold(text.length)) throw new ChainError('busy', 'answers.bytes');
    const results = countLogs(text);
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

  /** @returns whether less may be answered where this was not */
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

  #join(): JsonText {
    return `[${this.#sort()
      .map(({ text }) => text)
      .join(',')}]`;
  }
}

/** That a refused piece is divided into at once: what is left is divided again when its turn comes. */
const MAX_PARTS = 64;

/** A node that took too long, or gave more than is read of one answer, may have less to do with fewer blocks. */
function mayBeTooMuch(error: unknown): boolean {
  return (
    error instanceof LogRefusal ||
    (error instanceof UpstreamFault && (error.kind === 'tooLarge' || error.kind === 'timeout'))
  );
}

/** Every log has it once. */
const ONCE_A_LOG = '"logIndex"';

function countLogs(text: string): number {
  let count = 0;
  for (let at = text.indexOf(ONCE_A_LOG); at >= 0; at = text.indexOf(ONCE_A_LOG, at + ONCE_A_LOG.length))
    count++;
  return count;
}
