import { ChainError } from '../../chain/errors.ts';
import { continueWith, type PromiseOrValue } from '../../primitives/promise-or-value.ts';
import type { ChainReader, StoredHeader } from '../../store/chain-reader.ts';
import { limitOf } from '../../util/bounds.ts';
import { FairQueue, type FairQueueLimits } from '../../util/fair-queue.ts';
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

/** Tries that are made at the same time: of each owner one, as long as there is another. */
const TURN_LIMITS: FairQueueLimits = {
  running: 2,
  ownerShare: 0.5,
  waiting: limitOf('proofs.waiting'),
  waitMs: 10_000,
};
/** Tries are made for later requests too: they do not end with the request that began them. */
const PATIENT = { aborted: false };

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
  /** Tries that are being made, by block and owner: requests of one owner share them. */
  readonly #flights = new Map<string, Promise<StateTrie>>();
  readonly #turns = new FairQueue(TURN_LIMITS);

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  /**
   * The tries after a block, as long as `head` is the head.
   * @param owner of the turns in which they are built
   * @throws HeadMovedError, ChainError when too much has changed since, or too many wait
   */
  open(block: StoredHeader, head: bigint, owner: string): PromiseOrValue<StateTrie> {
    const { number } = block.header;
    if (number === head) return new StateTrie(this.#reader);
    if (this.#head !== head) this.#kept.clear();
    this.#head = head;
    const key = `${number}:${owner}`;
    const found = this.#kept.get(number) ?? this.#flights.get(key);
    if (found !== undefined) return found;
    let made: PromiseOrValue<StateTrie>;
    if (this.#turns.hasRoom(owner)) {
      this.#turns.take(owner);
      made = this.#make(block, head, owner);
    } else made = this.#waitAndMake(block, head, owner);
    return made instanceof Promise ? this.#fly(key, made) : made;
  }

  async #fly(key: string, made: Promise<StateTrie>): Promise<StateTrie> {
    const flight = made.finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  async #waitAndMake(block: StoredHeader, head: bigint, owner: string): Promise<StateTrie> {
    const turn = this.#turns.wait(owner, PATIENT);
    if (turn === false || !(await turn)) throw new ChainError('busy', 'proofs.waiting');
    return this.#make(block, head, owner);
  }

  /** In a turn of `owner`, which ends here. */
  #make(block: StoredHeader, head: bigint, owner: string): PromiseOrValue<StateTrie> {
    const { number } = block.header;
    const work = (): PromiseOrValue<StateTrie> =>
      this.#kept.get(number) ??
      TURNS.run(owner, runAtHead(this.#reader, head, buildPastTrie(this.#reader, block, Number(head))));
    const keep = (trie: StateTrie): StateTrie => {
      if (this.#head === head) this.#kept.set(number, trie);
      return trie;
    };
    let made: PromiseOrValue<StateTrie>;
    try {
      made = continueWith(work(), keep);
    } catch (error) {
      this.#turns.leave(owner);
      throw error;
    }
    if (made instanceof Promise) return made.finally(() => this.#turns.leave(owner));
    this.#turns.leave(owner);
    return made;
  }
}
