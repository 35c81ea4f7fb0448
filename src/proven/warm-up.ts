import { setImmediate as turn } from 'node:timers/promises';
import { RequestScope } from '../util/request-scope.ts';
import type { ProofQuestion } from '../verification/state-proof.ts';
import type { BlockStates } from './block-states.ts';
import { HotKeys } from './hot-keys.ts';
import type { RollForward } from './roll-forward.ts';
import type { StateKeys } from './state-keys.ts';
import type { HeadPlace, StatePlace } from './state-nodes.ts';

/** Accounts that nodes are asked to prove at a head, each with slots. */
const MAX_PROOFS = 256;
const LIMIT_MS = 10_000;
/** Of the event loop at a time. */
const SLICE_MS = 2;
/** What is left at each further head of the time that it took last: it may be faster by now. */
const DECAY = 0.9;

/** Asks for a proof; it is noted when it comes. */
type AskProof = (question: ProofQuestion, at: StatePlace, scope: RequestScope) => Promise<unknown>;

type Warming = {
  readonly stateRoot: string;
  readonly hot: StateKeys;
  /** Ends with what is asked for now. */
  readonly round: Promise<unknown>;
};

/**
 * Has nodes prove what is read often as soon as a head comes, before it is read. In each round one key is proven of all those that lack the same part
 * of a trie: most of the trie is that of the block before, and what a proof shows of it is enough for the others.
 */
export class WarmUp {
  readonly #states: BlockStates;
  readonly #askProof: AskProof;
  readonly #rollForward: RollForward | undefined;
  readonly #hot = new HotKeys();
  #headRoot: string | undefined;
  /** When the head came, on the clock of `performance.now()`, and how long it took last to prove what is read of a head. */
  #headAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #warming: Warming | undefined;
  #count = 0;

  /** @param rollForward brings what is known at the head before to the head, as far as it can, before anything is proven */
  constructor(states: BlockStates, askProof: AskProof, rollForward: RollForward | undefined) {
    this.#states = states;
    this.#askProof = askProof;
    this.#rollForward = rollForward;
  }

  /** Heads at which something was asked for and answered. */
  get count(): number {
    return this.#count;
  }

  noteRead(stateRoot: string, address: string, slot?: string): void {
    this.#headRoot ??= stateRoot;
    if (stateRoot === this.#headRoot) this.#hot.noteRead(address, slot);
  }

  /** What a reader of a state has to wait for, where all that it needs is likely to be proven with it. */
  findRound(stateRoot: string, { address, slots }: ProofQuestion): Promise<unknown> | undefined {
    const warming = this.#warming;
    if (warming?.stateRoot !== stateRoot) return undefined;
    const hot = warming.hot.accounts.get(address);
    return hot !== undefined && slots.every((slot) => hot.has(slot)) ? warming.round : undefined;
  }

  /** Called when the served head changes. Nothing is proven where that takes longer than the time between two heads. */
  noteHead(at: HeadPlace): void {
    if (at.stateRoot === this.#headRoot) return;
    const now = performance.now();
    const sinceHead = now - this.#headAt;
    this.#headAt = now;
    this.#headRoot = at.stateRoot;
    const hot = this.#hot.rotate();
    if (hot.accounts.size === 0 || sinceHead < this.#tookMs) {
      this.#tookMs *= DECAY;
      this.#rollForward?.skip(at);
    } else void this.#prove(hot, at);
  }

  async #prove(hot: StateKeys, at: HeadPlace): Promise<void> {
    const { stateRoot } = at;
    const startedAt = performance.now();
    const scope = new RequestScope(startedAt + LIMIT_MS);
    let left = MAX_PROOFS;
    let isRolled = false;
    if (this.#rollForward !== undefined) {
      const round = this.#rollForward.roll(at, hot.size, scope);
      this.#warming = { stateRoot, hot, round };
      isRolled = await round;
    }
    while (left > 0 && this.#headRoot === stateRoot) {
      const round = this.#proveSome(hot, at, left, scope);
      this.#warming = { stateRoot, hot, round };
      const proven = await round;
      if (proven === 0) break;
      left -= proven;
    }
    if (this.#warming?.stateRoot === stateRoot) this.#warming = undefined;
    this.#tookMs = performance.now() - startedAt;
    if (isRolled || left < MAX_PROOFS) this.#count++;
  }

  /** @returns how many questions were answered; 0 where nothing is missing, and where nodes fail: readers ask again then, and hear why */
  async #proveSome(hot: StateKeys, at: StatePlace, most: number, scope: RequestScope): Promise<number> {
    const questions = (await this.#choose(hot, at)).slice(0, most);
    const outcomes = await Promise.allSettled(
      questions.map((question) => this.#askProof(question, at, scope)),
    );
    return outcomes.some(({ status }) => status === 'rejected') ? 0 : questions.length;
  }

  /** Of all keys that lack the same part of a trie, one. Pauses, as there may be many. */
  async #choose(hot: StateKeys, at: StatePlace): Promise<readonly ProofQuestion[]> {
    const states = this.#states;
    const gaps = new Set<string>();
    const isFirst = (gap: string | undefined): boolean => gap !== undefined && gaps.size < gaps.add(gap).size;
    const questions: ProofQuestion[] = [];
    let pauseAt = performance.now() + SLICE_MS;
    const pause = async (): Promise<void> => {
      await turn();
      pauseAt = performance.now() + SLICE_MS;
    };
    // Accounts with most slots first: once these are known, their slots can be asked for.
    for (const [address, slots] of [...hot.accounts].sort(([, a], [, b]) => b.size - a.size)) {
      const gap = states.findAccountGap(at, address);
      if (isFirst(gap)) questions.push({ address, slots: [] });
      if (performance.now() >= pauseAt) await pause();
      if (gap !== undefined || slots.size === 0) continue;
      if (states.findAccount(at, address) == null) continue;
      const chosen: string[] = [];
      for (const slot of slots) {
        if (isFirst(states.findSlotGap(at, address, slot))) chosen.push(slot);
        if (performance.now() >= pauseAt) await pause();
      }
      if (chosen.length > 0) questions.push({ address, slots: chosen });
    }
    return questions;
  }
}
