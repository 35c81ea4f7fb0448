import { setImmediate as turn } from 'node:timers/promises';
import type { StateProofRequest } from '../../../../packages/proofs/state-proof.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import type { BlockStates } from './block-states.ts';
import { HotKeys } from './hot-keys.ts';
import type { RollForward } from './roll-forward.ts';
import type { StateKeys } from './state-keys.ts';
import type { HeadPlace, StatePlace } from './state-nodes.ts';

/**
 * Maximum number of proof requests per head, and per round of concurrent requests. Rounds of requests are small, so that slow answers are noticed
 * soon.
 */
const MAX_PROOFS = 256;
const ROUND_PROOFS = 64;
const LIMIT_MS = 10_000;
/**
 * Share of the average interval between heads in which the warm-up requests proofs. Keys that are missing afterwards are requested when a call reads
 * them.
 */
const TIME_SHARE = 0.5;
/** Weight of the newest interval in the moving average of head intervals. */
const NEWEST_SHARE = 0.125;
/** Maximum time that choosing keys blocks the event loop, milliseconds. */
const SLICE_MS = 2;
/** Maximum number of heads without warm-up after nodes have failed repeatedly. */
const MAX_SKIPPED = 64;

/** Requests a proof, and stores its values when it arrives. @returns false if the proof has an unknown form */
type AskProof = (query: StateProofRequest, at: StatePlace, scope: RequestScope) => Promise<boolean>;

type Warming = {
  readonly stateRoot: string;
  readonly hot: StateKeys;
  /** Resolves when the requests of the current round have ended. */
  readonly round: Promise<unknown>;
};

/** Slots by account. */
type Missing = Map<string, Set<string>>;

/**
 * Requests proofs of often-read keys as soon as a head arrives, before calls read the keys. Each round requests only one key for each missing part of
 * a trie. Most trie nodes below a missing part are shared with the previous block, so one proof usually suffices for all keys below the part.
 */
export class WarmUp {
  readonly #states: BlockStates;
  readonly #requestProof: AskProof;
  readonly #now: () => number;
  readonly #rollForward: RollForward | undefined;
  readonly #hot = new HotKeys();
  #headRoot: string | undefined;
  /** Arrival time of the head. */
  #headAt = Number.NEGATIVE_INFINITY;
  /** Average interval between heads, milliseconds. */
  #intervalMs = LIMIT_MS / TIME_SHARE;
  #warming: Warming | undefined;
  #count = 0;
  /** Number of consecutive heads at which most proofs failed, and number of heads that the warm-up still skips because of these failures. */
  #failures = 0;
  #toSkip = 0;

  /**
   * @param now monotonic clock in milliseconds
   * @param rollForward derives state of the new head from the previous head's state before proofs are requested; absent if this is disabled
   */
  constructor(states: BlockStates, requestProof: AskProof, now: () => number, rollForward?: RollForward) {
    this.#states = states;
    this.#requestProof = requestProof;
    this.#now = now;
    this.#rollForward = rollForward;
  }

  /** Number of heads for which the warm-up received proofs or derived state. */
  get count(): number {
    return this.#count;
  }

  noteRead(stateRoot: string, address: string, slot?: string): void {
    this.#headRoot ??= stateRoot;
    if (stateRoot === this.#headRoot) this.#hot.noteRead(address, slot);
  }

  /**
   * Returns a promise that resolves at the end of the current round, if the warm-up of this state includes all requested keys. The reader should wait
   * for it.
   */
  findRound(stateRoot: string, { address, slots }: StateProofRequest): Promise<unknown> | undefined {
    const warming = this.#warming;
    if (warming?.stateRoot !== stateRoot) return undefined;
    const hot = warming.hot.accounts.get(address);
    return hot !== undefined && slots.every((slot) => hot.has(slot)) ? warming.round : undefined;
  }

  /** Starts the warm-up for a new head of the served chain. */
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

  /** @returns whether a proof was requested and has arrived */
  async #prove(hot: StateKeys, at: StatePlace): Promise<boolean> {
    const { stateRoot } = at;
    const end = this.#headAt + this.#intervalMs * TIME_SHARE;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    // Accounts with the most slots are requested first, because slots can be chosen only after their account is known.
    const missing: Missing = new Map(
      [...hot.accounts]
        .sort(([, a], [, b]) => b.size - a.size)
        .map(([address, slots]) => [address, new Set(slots)]),
    );
    const total = { requested: 0, failed: 0 };
    while (total.requested < MAX_PROOFS && this.#headRoot === stateRoot && this.#now() < end) {
      const requesting = this.#proveSome(
        missing,
        at,
        Math.min(MAX_PROOFS - total.requested, ROUND_PROOFS),
        scope,
      );
      this.#warming = { stateRoot, hot, round: requesting };
      const { requested, failed } = await requesting;
      total.requested += requested;
      total.failed += failed;
      if (failed === requested) break;
    }
    if (total.requested === 0) return false;
    this.#failures = 2 * total.failed > total.requested ? this.#failures + 1 : 0;
    this.#toSkip = this.#failures === 0 ? 0 : Math.min(2 ** (this.#failures - 1), MAX_SKIPPED);
    return total.requested > total.failed;
  }

  /**
   * Requests one round of proofs. An account whose proof fails is dropped, because the calls that read the account request it again and report the
   * cause.
   */
  async #proveSome(
    missing: Missing,
    at: StatePlace,
    most: number,
    scope: RequestScope,
  ): Promise<{ readonly requested: number; readonly failed: number }> {
    const requests = await this.#choose(missing, at, most);
    let failed = 0;
    const prove = async (query: StateProofRequest): Promise<void> => {
      const isProven = await this.#requestProof(query, at, scope).catch(() => false);
      if (isProven) return;
      failed++;
      missing.delete(query.address);
    };
    await Promise.all(requests.map(prove));
    return { requested: requests.length, failed };
  }

  /**
   * Chooses one key for each missing part of a trie, and removes known keys from `missing`. The work pauses every `SLICE_MS`, because there may be
   * many keys.
   */
  async #choose(missing: Missing, at: StatePlace, most: number): Promise<readonly StateProofRequest[]> {
    const states = this.#states;
    const gaps = new Set<string>();
    const isFirst = (gap: string): boolean => gaps.size < gaps.add(gap).size;
    const requests: StateProofRequest[] = [];
    let pauseAt = performance.now() + SLICE_MS;
    const pause = async (): Promise<void> => {
      await turn();
      pauseAt = performance.now() + SLICE_MS;
    };
    for (const [address, slots] of missing) {
      if (requests.length === most) break;
      if (performance.now() >= pauseAt) await pause();
      const gap = states.findAccountGap(at, address);
      if (gap !== undefined) {
        if (isFirst(gap)) requests.push({ address, slots: [] });
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
      if (chosen.length > 0) requests.push({ address, slots: chosen });
      else if (slots.size === 0 || account == null) missing.delete(address);
    }
    return requests;
  }
}
