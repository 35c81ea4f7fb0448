import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { Lru } from '../../util/lru.ts';
import { TURNS } from '../../util/turn-queue.ts';
import { buildPastTrie, MAX_PAST_TRIE_BYTES } from './past-trie.ts';
import { StateTrie } from './state-trie.ts';

/** Blocks were imported while tries were read: what was read belongs to two heads. */
export class HeadMovedError extends Error {
  constructor() {
    super('the head moved');
    this.name = 'HeadMovedError';
  }
}

/** Runs work on the tries of the store; each of its steps sees those of this head. @throws HeadMovedError when there is another one */
export function* runAtHead<T>(
  reader: ChainReader,
  head: bigint,
  work: Iterator<undefined, T>,
): Generator<undefined, T> {
  for (;;) {
    if (reader.head.header.number !== head) throw new HeadMovedError();
    const step = work.next();
    if (step.done === true) return step.value;
    yield;
  }
}

/** Tries of the head and of blocks below it. Those that were made are kept until the head moves, 128 MiB at most. */
export class PastTries {
  readonly #reader: ChainReader;
  readonly #kept = new Lru<bigint, StateTrie>(
    MAX_PAST_TRIE_BYTES,
    Number.POSITIVE_INFINITY,
    undefined,
    ({ size }) => size,
  );
  /** Head that those belong to. */
  #head: bigint | undefined;
  /** By block; one is made at a time, and whoever asks for it meanwhile shares it. */
  readonly #flights = new Map<bigint, Promise<StateTrie>>();
  #last: Promise<StateTrie> | undefined;

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  /**
   * The tries after a block, as long as `head` is the head.
   * @param owner in whose turns they are made
   * @throws HeadMovedError, ChainError when too much has changed since
   */
  open(block: StoredHeader, head: bigint, owner: string): StateTrie | Promise<StateTrie> {
    const { number } = block.header;
    if (number === head) return new StateTrie(this.#reader);
    if (this.#head !== head) this.#kept.clear();
    this.#head = head;
    const found = this.#kept.get(number) ?? this.#flights.get(number);
    if (found !== undefined) return found;
    const build = (): StateTrie | Promise<StateTrie> =>
      TURNS.run(owner, runAtHead(this.#reader, head, buildPastTrie(this.#reader, block, Number(head))));
    const built = this.#last === undefined ? build() : this.#last.then(build, build);
    if (built instanceof Promise) return this.#fly(number, head, built);
    this.#keep(number, head, built);
    return built;
  }

  #fly(number: bigint, head: bigint, built: Promise<StateTrie>): Promise<StateTrie> {
    const flight = built
      .then((trie) => {
        this.#keep(number, head, trie);
        return trie;
      })
      .finally(() => {
        this.#flights.delete(number);
        if (this.#last === flight) this.#last = undefined;
      });
    this.#flights.set(number, flight);
    this.#last = flight;
    return flight;
  }

  #keep(number: bigint, head: bigint, trie: StateTrie): void {
    if (this.#head === head) this.#kept.set(number, trie);
  }
}
