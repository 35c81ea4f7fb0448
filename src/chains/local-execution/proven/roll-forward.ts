import { completeWithin } from '../../../util/complete-within.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { type BlockChanges, readBlockChanges } from './block-changes.ts';
import { MAX_LINKS } from './block-links.ts';
import type { BlockStates } from './block-states.ts';
import type { Codes } from './codes.ts';
import type { RoundTrips } from './round-trips.ts';
import type { HeadPlace, ListNodes } from './state-nodes.ts';

/**
 * Estimated response size of the proofs at a head, bytes per account or slot that is read there. Measured with 500 keys: 75 proofs of 5 kB and 100
 * slots of 2 kB.
 */
const PROOF_BYTES_PER_KEY = 1_000;
/** Factor by which the stored length of the last list decays per head, if that list was too long to be requested; later lists may be shorter. */
const DECAY = 0.9;
/** Time limit for requesting the lists, milliseconds. */
const LIMIT_MS = 5_000;
/** Maximum number of heads that are skipped after failures. */
const MAX_PAUSE = 63;

/** Step from the state of a parent to the state of its child block. */
type Step = { readonly at: HeadPlace; readonly parent: Pick<HeadPlace, 'hash' | 'stateRoot'> };

/** Rolls cached state forward by applying block access lists (EIP-7928). */
export class RollForward {
  readonly #nodes: ListNodes;
  readonly #states: BlockStates;
  readonly #codes: Codes;
  readonly #roundTrips: RoundTrips;
  #newest: HeadPlace | undefined;
  /** Previous head; state may or may not have been rolled forward to it. */
  #last: HeadPlace | undefined;
  #rolling: Promise<unknown> = Promise.resolve();
  /** Length of the last answer with a list; the longest if there were several. */
  #length = 0;
  /** Number of heads to skip after a failure, and how many of them remain. */
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

  /** Records a head at which no state is needed. */
  noteHead(head: HeadPlace): void {
    this.#newest = head;
    this.#last = head;
  }

  /**
   * Rolls cached state forward to a head, if access lists are available and cost less than proofs. Heads are processed one after the other. Never
   * rejects: state that remains unknown is then requested with proofs.
   * @param keys number of accounts and slots that are read at the head
   * @returns whether state was rolled forward to the head
   */
  roll(head: HeadPlace, keys: number): Promise<boolean> {
    this.#newest = head;
    const rolled = this.#rolling.then(() => this.#roll(head, keys));
    this.#rolling = rolled;
    return rolled;
  }

  async #roll(head: HeadPlace, keys: number): Promise<boolean> {
    // A newer head has arrived, and its path leads through this head.
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
      // The error is dropped. Readers request proofs next, and those requests fail with the reason.
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

  /** Applies the lists of the path. @returns whether the state of the head has been derived */
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

  /**
   * Returns the blocks from the head down to the first one whose parent has known state; empty if there is no such block, or if a block has no list.
   */
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
