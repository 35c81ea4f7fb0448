import { setImmediate as turn } from 'node:timers/promises';
import { RequestScope } from '../util/request-scope.ts';
import type { ProofQuestion } from '../verification/state-proof.ts';
import type { BlockStates } from './block-states.ts';
import { HotKeys } from './hot-keys.ts';
import type { RollForward } from './roll-forward.ts';
import type { StateKeys } from './state-keys.ts';
import type { HeadPlace, StatePlace } from './state-nodes.ts';

/** Accounts that nodes are asked to prove at a head, each with slots; and at a time, so that it is seen soon that they take too long. */
const MAX_PROOFS = 256;
const ROUND_PROOFS = 64;
const LIMIT_MS = 10_000;
/** The part of the time between two heads in which nodes are asked: what is not proven then is left to readers. */
const TIME_SHARE = 0.5;
/** What the newest interval counts in the average of those between heads. */
const NEWEST_SHARE = 0.125;
/** Of the event loop at a time. */
const SLICE_MS = 2;
/** Heads that are left out at most after nodes have failed. */
const MAX_SKIPPED = 64;

/** Asks for a proof; it is noted when it comes. @returns whether it is of a form that is known */
type AskProof = (question: ProofQuestion, at: StatePlace, scope: RequestScope) => Promise<boolean>;

type Warming = {
  readonly stateRoot: string;
  readonly hot: StateKeys;
  /** Ends with what is asked for now. */
  readonly round: Promise<unknown>;
};

/** Slots by account. */
type Missing = Map<string, Set<string>>;

/**
 * Has nodes prove what is read often as soon as a head comes, before it is read. In each round one key is proven of all those that lack the same part
 * of a trie: most of the trie is that of the block before, and what a proof shows of it is enough for the others.
 */
export class WarmUp {
  readonly #states: BlockStates;
  readonly #askProof: AskProof;
  readonly #now: () => number;
  readonly #rollForward: RollForward | undefined;
  readonly #hot = new HotKeys();
  #headRoot: string | undefined;
  /** When the head came. */
  #headAt = Number.NEGATIVE_INFINITY;
  /** From one head to the next on average, milliseconds. */
  #intervalMs = LIMIT_MS / TIME_SHARE;
  #warming: Warming | undefined;
  #count = 0;
  /** Consecutive heads at which most proofs failed, and heads yet to be left out for that. */
  #failures = 0;
  #toSkip = 0;

  /**
   * @param now a monotonic clock in milliseconds
   * @param rollForward brings what is known at the head before to the head, as far as it can, before anything is proven
   */
  constructor(states: BlockStates, askProof: AskProof, now: () => number, rollForward?: RollForward) {
    this.#states = states;
    this.#askProof = askProof;
    this.#now = now;
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

  /** Called when the served head changes. */
  noteHead(at: HeadPlace): void {
    if (at.stateRoot === this.#headRoot) return;
    const now = this.#now();
    const sinceHead = Math.min(now - this.#headAt, LIMIT_MS / TIME_SHARE);
    this.#intervalMs += NEWEST_SHARE * (sinceHead - this.#intervalMs);
    this.#headAt = now;
    this.#headRoot = at.stateRoot;
    const hot = this.#hot.rotate();
    if (hot.accounts.size === 0) this.#rollForward?.noteHead(at);
    else void this.#prepare(hot, at);
  }

  async #prepare(hot: StateKeys, at: HeadPlace): Promise<void> {
    let isReady = false;
    if (this.#rollForward !== undefined) {
      const round = this.#rollForward.roll(at, hot.size);
      this.#warming = { stateRoot: at.stateRoot, hot, round };
      isReady = await round;
    }
    if (this.#toSkip > 0) this.#toSkip--;
    else if (await this.#prove(hot, at)) isReady = true;
    if (this.#warming?.stateRoot === at.stateRoot) this.#warming = undefined;
    if (isReady) this.#count++;
  }

  /** @returns whether something was asked for and answered */
  async #prove(hot: StateKeys, at: StatePlace): Promise<boolean> {
    const { stateRoot } = at;
    const end = this.#headAt + this.#intervalMs * TIME_SHARE;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    // Accounts with most slots first: once these are known, their slots can be asked for.
    const missing: Missing = new Map(
      [...hot.accounts]
        .sort(([, a], [, b]) => b.size - a.size)
        .map(([address, slots]) => [address, new Set(slots)]),
    );
    const total = { asked: 0, failed: 0 };
    while (total.asked < MAX_PROOFS && this.#headRoot === stateRoot && this.#now() < end) {
      const asking = this.#proveSome(missing, at, Math.min(MAX_PROOFS - total.asked, ROUND_PROOFS), scope);
      this.#warming = { stateRoot, hot, round: asking };
      const { asked, failed } = await asking;
      total.asked += asked;
      total.failed += failed;
      if (failed === asked) break;
    }
    if (total.asked === 0) return false;
    this.#failures = 2 * total.failed > total.asked ? this.#failures + 1 : 0;
    this.#toSkip = this.#failures === 0 ? 0 : Math.min(2 ** (this.#failures - 1), MAX_SKIPPED);
    return total.asked > total.failed;
  }

  /** An account without a proof is left to its readers: their own requests fail with the reason. */
  async #proveSome(
    missing: Missing,
    at: StatePlace,
    most: number,
    scope: RequestScope,
  ): Promise<{ readonly asked: number; readonly failed: number }> {
    const questions = await this.#choose(missing, at, most);
    let failed = 0;
    const prove = async (question: ProofQuestion): Promise<void> => {
      const isProven = await this.#askProof(question, at, scope).catch(() => false);
      if (isProven) return;
      failed++;
      missing.delete(question.address);
    };
    await Promise.all(questions.map(prove));
    return { asked: questions.length, failed };
  }

  /** Of all keys that lack the same part of a trie, one; what is known is missing no longer. Pauses, as there may be many. */
  async #choose(missing: Missing, at: StatePlace, most: number): Promise<readonly ProofQuestion[]> {
    const states = this.#states;
    const gaps = new Set<string>();
    const isFirst = (gap: string): boolean => gaps.size < gaps.add(gap).size;
    const questions: ProofQuestion[] = [];
    let pauseAt = performance.now() + SLICE_MS;
    const pause = async (): Promise<void> => {
      await turn();
      pauseAt = performance.now() + SLICE_MS;
    };
    for (const [address, slots] of missing) {
      if (questions.length === most) break;
      if (performance.now() >= pauseAt) await pause();
      const gap = states.findAccountGap(at, address);
      if (gap !== undefined) {
        if (isFirst(gap)) questions.push({ address, slots: [] });
        continue;
      }
      const account = slots.size === 0 ? undefined : states.findAccount(at, address);
      const chosen: string[] = [];
      for (const slot of account == null ? [] : slots) {
        const slotGap = states.findSlotGap(at, address, slot);
        if (slotGap === undefined) slots.delete(slot);
        else if (isFirst(slotGap)) chosen.push(slot);
        if (performance.now() >= pauseAt) await pause();
      }
      if (chosen.length > 0) questions.push({ address, slots: chosen });
      else if (slots.size === 0 || account == null) missing.delete(address);
    }
    return questions;
  }
}
