import { RequestScope } from '../util/request-scope.ts';
import { settleWithin } from '../util/settle-within.ts';
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
/** That lists may take, milliseconds. */
const LIMIT_MS = 5_000;
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
  #newest: HeadPlace | undefined;
  /** The head that was rolled to, or not, before. */
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

  /** Heads to which state was rolled forward. */
  get count(): number {
    return this.#count;
  }

  /** There is a head at which nothing is needed. */
  noteHead(head: HeadPlace): void {
    this.#newest = head;
    this.#last = head;
  }

  /**
   * Rolls what is known to a head, where there are lists and they cost less than proofs; one head at a time. Never rejects: what is not known then is
   * proven.
   * @param keys accounts and slots that are read there
   * @returns whether it was done
   */
  roll(head: HeadPlace, keys: number): Promise<boolean> {
    this.#newest = head;
    const rolled = this.#rolling.then(() => this.#roll(head, keys));
    this.#rolling = rolled;
    return rolled;
  }

  async #roll(head: HeadPlace, keys: number): Promise<boolean> {
    // A newer head has come meanwhile: its path leads through this one.
    if (this.#newest !== head) return false;
    const last = this.#last;
    this.#last = head;
    if (this.#left > 0) {
      this.#left--;
      return false;
    }
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    try {
      const path = await this.#findPath(head, last, scope);
      if (!this.#pays(path, keys)) return false;
      const isRolled = (await settleWithin(this.#follow(path, scope), LIMIT_MS)) === true;
      this.#pause = isRolled ? 0 : this.#lengthen();
      return isRolled;
    } catch {
      // The error is dropped: readers ask for proofs next, and those requests fail with the reason.
      this.#pause = this.#lengthen();
      return false;
    }
  }

  /** After each failure twice as many heads are left out. */
  #lengthen(): number {
    this.#left = Math.min(2 * this.#pause + 1, MAX_PAUSE);
    return this.#left;
  }

  #pays({ length }: readonly Step[], keys: number): boolean {
    if (length === 0) return false;
    const isShort = length * this.#length <= keys * PROOF_BYTES_PER_KEY;
    if (!isShort) this.#length *= DECAY;
    return isShort;
  }

  /** @returns whether the state of the head follows from what was known */
  async #follow(path: readonly Step[], scope: RequestScope): Promise<boolean> {
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

  /** Blocks from the head down to the first one with a parent of known state; empty where there is no such block, or no lists. */
  async #findPath(
    head: HeadPlace,
    last: HeadPlace | undefined,
    scope: RequestScope,
  ): Promise<readonly Step[]> {
    const path: Step[] = [];
    for (let at = head; path.length < MAX_LINKS && at.accessListHash !== undefined; ) {
      const { parentHash, number } = at;
      const isLast = last?.hash === parentHash;
      const parent = isLast ? last : await this.#nodes.findHeader(number - 1n, parentHash, scope);
      if (parent === undefined) return [];
      path.push({ at, parent });
      if (this.#states.isKnown(parent)) return path;
      if (isLast) return [];
      at = parent;
    }
    return [];
  }
}
