import { completeWithin } from '../../../util/complete-within.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { type BlockChanges, readBlockChanges } from './block-changes.ts';
import { MAX_LINKS } from './block-links.ts';
import type { BlockStates } from './block-states.ts';
import type { Codes } from './codes.ts';
import type { RoundTrips } from './round-trips.ts';
import type { HeadPlace, ListNodes } from './state-nodes.ts';

/**
 * Estimated response size of proofs per account or slot that calls read at a head, bytes. At one head with 500 read keys, 75 account proofs of 5 kB
 * and 100 slot proofs of 2 kB were requested.
 */
const PROOF_BYTES_PER_KEY = 1_000;
/**
 * While access lists cost more than proofs, the recorded length of the last list decays by this factor per head, because later lists may be shorter.
 */
const DECAY = 0.9;
/** Time limit for requesting the access lists of one path, milliseconds. */
const LIMIT_MS = 5_000;
/** Maximum number of heads without an attempt after repeated failures. */
const MAX_PAUSE = 63;

/** A block, and the parent from whose state the block's state is derived. */
type Step = { readonly at: HeadPlace; readonly parent: Pick<HeadPlace, 'hash' | 'stateRoot'> };

/** Derives the state of new heads from cached state of earlier blocks, with block access lists (EIP-7928). */
export class RollForward {
  readonly #nodes: ListNodes;
  readonly #states: BlockStates;
  readonly #codes: Codes;
  readonly #roundTrips: RoundTrips;
  #newest: HeadPlace | undefined;
  /** Previous head, whether or not state was rolled forward to this head. */
  #last: HeadPlace | undefined;
  #rolling: Promise<unknown> = Promise.resolve();
  /**
   * Length of the last answer of a node that contained an access list, UTF-16 units. If several lists were requested, the length of the longest one.
   */
  #length = 0;
  /** Number of heads to skip after the last failure, and number of heads that are still to be skipped. */
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

  /** Records a new head whose state is not derived. */
  noteHead(head: HeadPlace): void {
    this.#newest = head;
    this.#last = head;
  }

  /**
   * Rolls cached state forward to a head, if access lists are available and are smaller than proofs. Rolls heads forward one at a time. Never
   * rejects: if state remains unknown, it is requested later with proofs.
   * @param keys expected number of accounts and slots that calls read at the head
   * @returns whether state was rolled forward to the head
   */
  roll(head: HeadPlace, keys: number): Promise<boolean> {
    this.#newest = head;
    const rolled = this.#rolling.then(() => this.#roll(head, keys));
    this.#rolling = rolled;
    return rolled;
  }

  async #roll(head: HeadPlace, keys: number): Promise<boolean> {
    // A newer head has arrived. The path of the newer head includes this head.
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
      // The error is dropped: state that was not derived is requested with proofs, and these requests report the cause.
      this.#pause = this.#lengthen();
      return false;
    }
  }

  /** After each failure, about doubles the number of heads to skip. */
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

  /** Requests the access lists of all blocks of the path, and records their changes. @returns whether the state of the head has been derived */
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
   * Returns the blocks from the head down to the newest block whose parent's state is known. Returns an empty list if no such block is found, or if a
   * block on the path has no access list.
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
