import type { LogFilter } from '../../chain/requests.ts';
import { hexToBytes } from '../../primitives/hex.ts';
import { addressTerm, type LogTables, topicTerm } from '../../store/log-index.ts';
import { LIST_END, type PostingCursor } from '../../store/posting-table.ts';

/** Numbers that are looked at before the search pauses: less than a millisecond. */
const STEP_NUMBERS = 256;

/** Finds the logs that have one of the addresses and, at each position, one of the topics: the numbers that are in all lists. */
export class LogSearch {
  readonly #lists: readonly UnionCursor[];
  #candidate = 0;

  private constructor(lists: readonly UnionCursor[]) {
    this.#lists = lists;
  }

  /** Opens the lists; pauses on the way. */
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
      // Twice the same alternative is one.
      for (const term of new Map(alternatives.map((key) => [key.toString('latin1'), key])).values()) {
        cursors.push(tables.logTerms.openCursor(term));
        if (cursors.length % STEP_NUMBERS === 0) yield;
      }
      lists.push(new UnionCursor(cursors));
    }
    return new LogSearch(lists);
  }

  /**
   * Number of the first log from `target` on, which never becomes smaller; LIST_END when there is none. Where nothing restricts the search
   * every number is one.
   * @returns undefined when the time for a pause has come: it is to be called again then, with the same target
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

/** Several lists as one: a binary heap of cursors, the one with the smallest number first. */
class UnionCursor {
  readonly #heap: PostingCursor[];

  constructor(cursors: PostingCursor[]) {
    this.#heap = cursors;
  }

  seek(target: number): number {
    const heap = this.#heap;
    // As long as all stand before their lists, any order is a heap.
    for (let first = heap[0]; first !== undefined; first = heap[0]) {
      if (first.current >= target) return first.current;
      first.seek(target);
      this.#sink(first);
    }
    return LIST_END;
  }

  /** Moves the first cursor to its place. */
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
