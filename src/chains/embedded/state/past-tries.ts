import {
  continueWith,
  type PromiseOrValue,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { limitOf } from '../../../util/bounds.ts';
import { FairQueue, type FairQueueLimits } from '../../../util/fair-queue.ts';
import { Lru } from '../../../util/lru.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import type { ChainReader, StoredHeader } from '../store/chain-reader.ts';
import { buildPastTrie, MAX_PAST_TRIE_BYTES } from './past-trie.ts';
import { StateTrie } from './state-trie.ts';

/** Error of work that read trie nodes of two different heads, because the head moved meanwhile. */
export class HeadMovedError extends Error {
  constructor() {
    super('the head moved');
    this.name = 'HeadMovedError';
  }
}

/**
 * Runs work that reads the tries of the store's head, and checks at every step that the head is still `head`.
 * @throws HeadMovedError when the head moves
 */
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

/** Limits of concurrent builds of past tries: two in total, one per owner. */
const TURN_LIMITS: FairQueueLimits = {
  running: 2,
  ownerShare: 0.5,
  waiting: limitOf('proofs.waiting'),
  waitMs: 10_000,
};
/** Abort state of builds. A build of tries is never aborted, because other requests may wait for the same build. */
const PATIENT = { aborted: false };

/** Opens the tries of the head and of blocks below the head. Rebuilt tries are cached until the head moves, up to 128 MiB in total. */
export class PastTries {
  readonly #reader: ChainReader;
  readonly #cached = new Lru<bigint, StateTrie>(
    MAX_PAST_TRIE_BYTES,
    Number.POSITIVE_INFINITY,
    undefined,
    ({ size }) => size,
  );
  /** Head to which the cached tries belong. */
  #head: bigint | undefined;
  /** Builds in progress, by block and owner; all requests of one owner for a block share a build. */
  readonly #inFlight = new Map<string, Promise<StateTrie>>();
  readonly #slots = new FairQueue(TURN_LIMITS);

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  /**
   * Returns the tries after a block. The tries are valid as long as block `head` is the store's head.
   * @param owner owner of the scheduler slots in which the tries are built
   * @throws HeadMovedError when the head moves, ChainError when too many keys have changed since the block, or when too many builds of tries wait
   */
  open(block: StoredHeader, head: bigint, owner: string): PromiseOrValue<StateTrie> {
    const { number } = block.header;
    if (number === head) return new StateTrie(this.#reader);
    if (this.#head !== head) this.#cached.clear();
    this.#head = head;
    const key = `${number}:${owner}`;
    const found = this.#cached.get(number) ?? this.#inFlight.get(key);
    if (found !== undefined) return found;
    let made: PromiseOrValue<StateTrie>;
    if (this.#slots.hasRoom(owner)) {
      this.#slots.take(owner);
      made = this.#make(block, head, owner);
    } else made = this.#waitAndMake(block, head, owner);
    return made instanceof Promise ? this.#fly(key, made) : made;
  }

  async #fly(key: string, made: Promise<StateTrie>): Promise<StateTrie> {
    const flight = made.finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, flight);
    return flight;
  }

  async #waitAndMake(block: StoredHeader, head: bigint, owner: string): Promise<StateTrie> {
    const turn = this.#slots.wait(owner, PATIENT);
    if (turn === false || !(await turn)) throw new ChainError('busy', 'proofs.waiting');
    return this.#make(block, head, owner);
  }

  /** Builds the tries within the limits of builds, for which the caller has counted this build of `owner`. Its count ends with the build. */
  #make(block: StoredHeader, head: bigint, owner: string): PromiseOrValue<StateTrie> {
    const { number } = block.header;
    const work = (): PromiseOrValue<StateTrie> =>
      this.#cached.get(number) ??
      SCHEDULER.run(owner, runAtHead(this.#reader, head, buildPastTrie(this.#reader, block, Number(head))));
    const keep = (trie: StateTrie): StateTrie => {
      if (this.#head === head) this.#cached.set(number, trie);
      return trie;
    };
    let made: PromiseOrValue<StateTrie>;
    try {
      made = continueWith(work(), keep);
    } catch (error) {
      this.#slots.leave(owner);
      throw error;
    }
    if (made instanceof Promise) return made.finally(() => this.#slots.leave(owner));
    this.#slots.leave(owner);
    return made;
  }
}
