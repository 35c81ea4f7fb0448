import { completeWithin } from '../../../util/complete-within.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { type BlockChanges, readBlockChanges } from './block-changes.ts';
import { MAX_LINKS } from './block-links.ts';
import type { BlockStates } from './block-states.ts';
import type { Codes } from './codes.ts';
import type { RoundTrips } from './round-trips.ts';
import type { HeadPlace, ListNodes } from './state-nodes.ts';

/** Estimated response size of the proofs at a head, bytes per account or slot read there: 75 proofs of 5 kB and 100 slots of 2 kB for 500 of them. */
const PROOF_BYTES_PER_KEY = 1_000;
/** Decay per head of the last list's length if that was too long to be requested: lists may be shorter by now. */
const DECAY = 0.9;
/** Time limit of the lists, milliseconds. */
const LIMIT_MS = 5_000;
/** Cap on heads skipped after failures. */
const MAX_PAUSE = 63;

/** Step from a parent's state to that of a block. */
type Step = { readonly at: HeadPlace; readonly parent: Pick<HeadPlace, 'hash' | 'stateRoot'> };

/** Rolls cached state forward by applying block access lists (EIP-7928). */
export class RollForward {
  readonly #nodes: ListNodes;
  readonly #states: BlockStates;
  readonly #codes: Codes;
  readonly #roundTrips: RoundTrips;
  #newest: HeadPlace | undefined;
  /** Previous head, whether state was rolled to it or not. */
  #last: HeadPlace | undefined;
  #rolling: Promise<unknown> = Promise.resolve();
  /** Length of the answer with the latest list. */
  #length = 0;
  /** Heads to be skipped after a failure, and how many of them remain. */
  #pause = 0;
  #left = 0;
  #count = 0;

  constructor(nodes: ListNodes, states: BlockStates, codes: Codes, roundTrips: RoundTrips) {
    this.#nodes = nodes;
    this.#states = states;
    this.#codes = codes;
    this.#roundTrips = roundTrips;
  }

  /** Number of heads to which state was rolled forward. */
  get count(): number {
    return this.#count;
  }

  /** Notes a head at which no state is needed. */
  noteHead(head: HeadPlace): void {
    this.#newest = head;
    this.#last = head;
  }

  /**
   * Rolls cached state forward to a head if there are lists and they cost less than proofs; one head at a time. Never rejects: state that stays
   * unknown is then requested with proofs.
   * @param keys number of accounts and slots that are read there
   * @returns whether state was rolled to the head
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
      const isRolled = (await completeWithin(this.#follow(path, scope), LIMIT_MS)) === true;
      this.#pause = isRolled ? 0 : this.#lengthen();
      return isRolled;
    } catch {
      // The error is dropped: readers request proofs next, and those requests fail with the reason.
      this.#pause = this.#lengthen();
      return false;
    }
  }

  /** Roughly doubles the number of skipped heads after each failure. */
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

  /** Applies the lists of the path. @returns whether the state of the head is derived */
  async #follow(path: readonly Step[], scope: RequestScope): Promise<boolean> {
    const lists = await Promise.all(
      path.map(({ at }) =>
        this.#roundTrips.ask(scope, (roundTrip) => this.#nodes.requestAccessList(at, roundTrip)),
      ),
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

  /** Blocks from the head down to the first one with a parent of known state; empty if there is no such block, or no lists. */
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
