import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { LogFilter } from '../../../chain/requests.ts';
import { addressTerm, type LogTables, topicTerm } from '../store/log-index.ts';
import { LIST_END, type PostingCursor } from '../store/posting-table.ts';

/** Number of log numbers that are examined between two pauses, in less than 1 ms. */
const STEP_NUMBERS = 256;

/** Finds logs that match one of the addresses and one of the topics at each position. The search intersects the posting lists of the log index. */
export class LogSearch {
  readonly #lists: readonly UnionCursor[];
  #candidate = 0;

  private constructor(lists: readonly UnionCursor[]) {
    this.#lists = lists;
  }

  /** Opens the posting lists of all addresses and topics of a filter, with pauses. */
  static *open(tables: LogTables, { addresses, topics }: LogFilter): Generator<undefined, LogSearch> {
    const terms = [
      addresses.map((address) => addressTerm(hexToBytes(address))),
      ...topics.map((alternatives, position) =>
        alternatives.map((topic) => topicTerm(position, hexToBytes(topic))),
      ),
    ];
    const lists: UnionCursor[] = [];
    for (const alternatives of terms) {
      if (alternatives.length === 0) continue;
      const cursors: PostingCursor[] = [];
      // A posting list that the filter names twice is opened only once.
      for (const term of new Map(alternatives.map((key) => [key.toString('latin1'), key])).values()) {
        cursors.push(tables.logTerms.openCursor(term));
        if (cursors.length % STEP_NUMBERS === 0) yield;
      }
      lists.push(new UnionCursor(cursors));
    }
    return new LogSearch(lists);
  }

  /**
   * Returns the number of the first match that is at least `target`, or LIST_END. A call must not have a lower `target` than the previous call. An
   * empty filter matches every number.
   * @returns undefined at a pause; the caller repeats the call with the same target
   */
  find(target: number): number | undefined {
    if (target > this.#candidate) this.#candidate = target;
    for (let steps = 0; steps < STEP_NUMBERS; steps++) {
      const before = this.#candidate;
      for (const list of this.#lists) this.#candidate = list.seek(this.#candidate);
      if (this.#candidate === before || this.#candidate === LIST_END) return this.#candidate;
    }
    return undefined;
  }
}

/** Union of several posting lists: a binary heap of cursors, with the smallest log number first. */
class UnionCursor {
  readonly #heap: PostingCursor[];

  constructor(cursors: PostingCursor[]) {
    this.#heap = cursors;
  }

  seek(target: number): number {
    const heap = this.#heap;
    // Initially, all cursors are before their first number and compare as equal, so any order is a valid heap.
    for (let first = heap[0]; first !== undefined; first = heap[0]) {
      if (first.current >= target) return first.current;
      first.seek(target);
      this.#sink(first);
    }
    return LIST_END;
  }

  /** Restores the heap order after the first cursor has moved. */
  #sink(cursor: PostingCursor): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && right.current < left.current) child++;
      const smaller = heap[child] as PostingCursor;
      if (smaller.current >= cursor.current) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = cursor;
  }
}
