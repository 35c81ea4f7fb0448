import type { RequestScope } from '../util/request-scope.ts';
import { type BlockChanges, readBlockChanges } from './block-changes.ts';
import { MAX_LINKS } from './block-links.ts';
import type { BlockStates } from './block-states.ts';
import type { Codes } from './codes.ts';
import type { HeadPlace, ListNodes } from './state-nodes.ts';
import type { Trips } from './trips.ts';

/** Of the proofs at a head, by the accounts and slots that are read there: 75 proofs of 5 kB and 100 slots of 2 kB for 500 of them. */
const PROOF_BYTES_PER_KEY = 1_000;
/** What is left at each head of the length of the last list, where that was too long to be asked for: lists may be shorter by now. */
const DECAY = 0.9;
/** Heads at which nothing is asked after failures, at most. */
const MAX_PAUSE = 63;

/** From a state to that of the next block. */
type Step = { readonly at: HeadPlace; readonly parent: Pick<HeadPlace, 'hash' | 'stateRoot'> };

/** Makes what is known of the state of a block what is known of the state after it, by the access lists of the blocks between (EIP-7928). */
export class RollForward {
  readonly #nodes: ListNodes;
  readonly #states: BlockStates;
  readonly #codes: Codes;
  readonly #trips: Trips;
  /** The last head at which something may be known. */
  #last: HeadPlace | undefined;
  #rolling: Promise<unknown> = Promise.resolve();
  /** Of the answer that a list came in last. */
  #length = 0;
  /** Heads that are left out after a failure, and those of them that are left. */
  #pause = 0;
  #left = 0;
  #count = 0;

  constructor(nodes: ListNodes, states: BlockStates, codes: Codes, trips: Trips) {
    this.#nodes = nodes;
    this.#states = states;
    this.#codes = codes;
    this.#trips = trips;
  }

  /** Heads whose states followed from lists. */
  get count(): number {
    return this.#count;
  }

  /** There is a head, and what was known before is not needed at it. */
  skip(head: HeadPlace): void {
    this.#states.addBase(head);
    this.#last = head;
  }

  /**
   * Rolls what is known to a head, where there are lists and they cost less than proofs; one head at a time. Never rejects: what is not known then is
   * proven.
   * @param keys accounts and slots that are read there
   */
  roll(head: HeadPlace, keys: number, scope: RequestScope): Promise<void> {
    const rolled = this.#rolling.then(() => this.#roll(head, keys, scope));
    this.#rolling = rolled;
    return rolled;
  }

  async #roll(head: HeadPlace, keys: number, scope: RequestScope): Promise<void> {
    if (this.#pays(head, keys)) {
      const isRolled = await this.#follow(head, scope).catch(() => false);
      // After failures twice as many heads each time: readers, who ask for proofs then, hear why where it is an outage.
      this.#pause = isRolled ? 0 : Math.min(2 * this.#pause + 1, MAX_PAUSE);
      this.#left = this.#pause;
    }
    this.skip(head);
  }

  #pays({ accessListHash, number }: HeadPlace, keys: number): boolean {
    if (accessListHash === undefined || this.#last === undefined) return false;
    if (this.#left > 0) {
      this.#left--;
      return false;
    }
    if (number > this.#last.number + BigInt(MAX_LINKS)) return false;
    const isShort = this.#length <= keys * PROOF_BYTES_PER_KEY;
    if (!isShort) this.#length *= DECAY;
    return isShort;
  }

  /** @returns whether the state of the head follows from what was known */
  async #follow(head: HeadPlace, scope: RequestScope): Promise<boolean> {
    const path = await this.#findPath(head, scope);
    if (path === undefined) return false;
    const lists = await Promise.all(
      path.map(({ at }) => this.#trips.ask(scope, (trip) => this.#nodes.askAccessList(at, trip))),
    );
    this.#length = Math.max(...lists.map((answer) => answer?.length ?? 0));
    const changes = lists.map((answer) => answer?.list && readBlockChanges(answer.list));
    if (changes.includes(undefined)) return false;
    for (let i = path.length - 1; i >= 0; i--) {
      const { at, parent } = path[i] as Step;
      const change = changes[i] as BlockChanges;
      if (change.codes.size > 0) this.#codes.add(change.codes);
      this.#states.addChanges(at, parent, change);
    }
    this.#count++;
    return true;
  }

  /** Blocks from the head down to the first one on whose parent is known; undefined where that cannot be found. */
  async #findPath(head: HeadPlace, scope: RequestScope): Promise<readonly Step[] | undefined> {
    const path: Step[] = [];
    for (let at = head; path.length < MAX_LINKS; ) {
      const { parentHash, accessListHash, number } = at;
      if (accessListHash === undefined) return undefined;
      const last = this.#last;
      const parent =
        last?.hash === parentHash ? last : await this.#nodes.findHeader(number - 1n, parentHash, scope);
      if (parent === undefined) return undefined;
      path.push({ at, parent });
      if (this.#states.isLinked(parentHash)) return path;
      at = parent;
    }
    return undefined;
  }
}
