import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { TokenBucket } from '../../util/token-bucket.ts';
import type { Rate } from '../keys/rate.ts';
import type { Drawn, LimitTable, Spending } from './limit-table.ts';

/** Reason why a call is denied, and delay until it may be repeated. */
export type Denial = {
  readonly reason: 'rate' | 'credits';
  readonly retryAfterMs: number;
  /** Calls per second: the limit, and the rate seen by this process. */
  readonly allowed: number;
  readonly current: number;
};

export type AccountOptions = {
  /** Name of the bucket in the table. */
  readonly name: string;
  readonly rate: Rate | undefined;
  readonly dailyCredits: number | undefined;
  readonly table: LimitTable;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Wall clock, Unix ms. */
  readonly clock: () => number;
};

/** Window over which the call rate of an account is measured, ms. */
const PACE_MS = 100;
/** Tokens are drawn ahead for this duration, ms: twenty at a time for an account with 1,000 calls per second in this process. */
const AHEAD_MS = 20;
/** Unused drawn tokens expire after this duration, ms. */
const HOLD_MS = 250;
/** Interval between checks whether an unavailable table has recovered, ms. */
const RETRY_MS = 250;
/** Maximum calls that wait for the table. */
const MAX_WAITING = 1_000;
/** Maximum draws per call: other calls may take the drawn tokens. */
const MAX_DRAWS = 3;
const DAY_MS = 86_400_000;
/** Maximum interval between reads of the wall clock for the day, since the clock may be corrected, ms. */
const DAY_CHECK_MS = 60_000;

/**
 * Limits of one key, network or address in this process. Tokens are drawn from a table shared by processes, several at a time, so that most
 * calls need no draw; all processes together never exceed the bucket. While the table is unavailable, this process grants its own share.
 */
export class Account {
  /** Number of the last entry of this process, across accounts, because an evicted account may be opened again. */
  static #entries = 0;
  #options: AccountOptions;
  #tokens = 0;
  /** Tokens spent in advance; the next ones drawn pay for them. */
  #owed = 0;
  #heldUntil = 0;
  #deniedUntil = 0;
  /** Calls of the current and of the previous window. */
  #calls = 0;
  #callsBefore = 0;
  #spanEnd = 0;
  #drawing: Promise<void> | undefined;
  #waiting = 0;
  /** Calls that wait until the table has recorded earlier spending. */
  #reporting = 0;
  #day = 0;
  /** Next time to read the wall clock for the day, on the monotonic clock. */
  #dayUntil = Number.NEGATIVE_INFINITY;
  /** Credits spent on the day according to the table; undefined before its first reply. */
  #spent: number | undefined;
  /** Credits not yet reported to the table. */
  #pending = 0;
  /** Last report, until the table has replied. */
  #reported: Spending | undefined;
  #isAway = false;
  /** Next time to check whether the table has recovered. */
  #retryAt = 0;
  /** Kept after the table recovers, so that repeated outages do not each grant a new burst. */
  #ownBucket: TokenBucket | undefined;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  /** Replaces the limits. */
  limitTo(rate: Rate | undefined, dailyCredits: number | undefined): void {
    const before = this.#options;
    this.#options = { ...before, rate, dailyCredits };
    if (dailyCredits === undefined) this.#forgetDay();
    if (rate?.perSecond === before.rate?.perSecond && rate?.burst === before.rate?.burst) return;
    this.#tokens = 0;
    this.#owed = 0;
    this.#deniedUntil = 0;
    this.#ownBucket = undefined;
  }

  /** Whether there are credits to report to the table. */
  get isDirty(): boolean {
    return this.#pending !== 0 || (this.#reported !== undefined && this.#reported.credits !== 0);
  }

  /** Denial of the next call for its rate, as far as known without a draw. */
  get denial(): Denial | undefined {
    const now = this.#options.now();
    return now < this.#deniedUntil ? this.#deny('rate', now) : undefined;
  }

  /**
   * Takes tokens and credits of the day, synchronously if tokens are available. @returns a denial, or undefined
   * @param credits credits of the call
   * @param tokens none, or one that must be available and others that may be owed, at most a burst
   */
  take(credits: number, now: number = this.#options.now(), tokens = 1): PromiseOrValue<Denial | undefined> {
    const outcome = this.#takeOne(credits, now, tokens === 0);
    if (tokens <= 1) return outcome;
    return continueWith(outcome, (denial) => {
      if (denial === undefined) this.#owe(tokens - 1);
      return denial;
    });
  }

  #owe(tokens: number): void {
    const { rate } = this.#options;
    if (rate !== undefined) this.#owed += Math.min(tokens, Math.max(0, Math.floor(rate.burst) - 1));
  }

  #takeOne(credits: number, now: number, isPaid: boolean): PromiseOrValue<Denial | undefined> {
    this.#countCall(now);
    return this.#tryOne(credits, now, isPaid);
  }

  #tryOne(credits: number, now: number, isPaid: boolean): PromiseOrValue<Denial | undefined> {
    if (now >= this.#dayUntil) this.#turnDay(now);
    const { rate, dailyCredits } = this.#options;
    if (this.#isAway && now >= this.#retryAt) this.#lookAgain(now);
    if (dailyCredits !== undefined) {
      if (this.#spent === undefined && !this.#isAway) return this.#drawAndTake(credits, isPaid, MAX_DRAWS);
      if (this.#exceeds(dailyCredits, credits)) return this.#deny('credits', now);
      if (this.#mustReport(dailyCredits, credits)) return this.#reportAndTake(credits, isPaid);
    }
    if (isPaid || rate === undefined || this.#tryToken(now)) return this.#spend(credits);
    if (now < this.#deniedUntil) return this.#deny('rate', now);
    return this.#drawAndTake(credits, isPaid, MAX_DRAWS);
  }

  /** Spends credits for something already delivered, also beyond the daily limit. */
  spend(credits: number): void {
    this.#spend(credits);
  }

  /** Returns tokens and credits of a call that was not made. */
  giveBack(credits: number, tokens = 1): void {
    if (this.#options.rate !== undefined && !this.#isAway) this.#tokens += tokens;
    if (this.#options.dailyCredits !== undefined) this.#pending -= credits;
  }

  /** Reports spent credits to the table. */
  flush(): PromiseOrValue<void> {
    return this.isDirty ? this.#draw(0) : undefined;
  }

  /** Whether unreported spending would exceed the bound of the table. Then the call waits for a report, also a call that exceeds it by itself. */
  #mustReport(dailyCredits: number, credits: number): boolean {
    const before = this.#pending + (this.#reported?.credits ?? 0);
    return !this.#isAway && before > 0 && before + credits > dailyCredits * this.#options.table.unreported;
  }

  #reportAndTake(credits: number, isPaid: boolean): PromiseOrValue<Denial | undefined> {
    if (this.#reporting >= MAX_WAITING) return this.#deny('rate', this.#options.now());
    this.#reporting++;
    return continueWith(this.#draw(0), () => {
      this.#reporting--;
      return this.#tryOne(credits, this.#options.now(), isPaid);
    });
  }

  #drawAndTake(credits: number, isPaid: boolean, draws: number): PromiseOrValue<Denial | undefined> {
    const { now: clock, rate, dailyCredits } = this.#options;
    if (this.#waiting >= MAX_WAITING) return this.#deny('rate', clock());
    this.#waiting++;
    const ahead = Math.ceil((this.#pace / 1_000) * AHEAD_MS);
    const wanted = this.#owed + Math.max(1, this.#waiting, ahead);
    return continueWith(this.#draw(rate === undefined ? 0 : wanted), () => {
      this.#waiting--;
      const now = clock();
      if (dailyCredits !== undefined && this.#exceeds(dailyCredits, credits))
        return this.#deny('credits', now);
      if (dailyCredits !== undefined && this.#mustReport(dailyCredits, credits))
        return this.#reportAndTake(credits, isPaid);
      if (isPaid || rate === undefined || this.#tryToken(now)) return this.#spend(credits);
      if (now < this.#deniedUntil || draws === 1) return this.#deny('rate', now);
      return this.#drawAndTake(credits, isPaid, draws - 1);
    });
  }

  #tryToken(now: number): boolean {
    if (this.#isAway) return this.#tryShare(now);
    if (now >= this.#heldUntil) return false;
    if (this.#owed > 0) {
      const paid = Math.min(this.#owed, this.#tokens);
      this.#owed -= paid;
      this.#tokens -= paid;
    }
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #tryShare(now: number): boolean {
    while (this.#owed > 0 && this.#ownBucket?.tryTake() === true) this.#owed--;
    if (this.#owed === 0 && this.#ownBucket?.tryTake() === true) return true;
    const { rate, table } = this.#options;
    if (rate !== undefined) this.#deniedUntil = now + 1_000 / (rate.perSecond * table.share);
    return false;
  }

  /** Probes the table while no call waits for it. */
  #lookAgain(now: number): void {
    this.#retryAt = now + RETRY_MS;
    void this.#draw(0);
  }

  /**
   * Whether a call would exceed the credits of the day. While the table is unavailable, or has not replied yet, this process has only its share
   * of the remaining credits.
   */
  #exceeds(dailyCredits: number, credits: number): boolean {
    const wanted = this.#pending + (this.#reported?.credits ?? 0) + credits;
    const left = dailyCredits - (this.#spent ?? 0);
    const isShared = this.#spent === undefined || this.#isAway;
    return wanted > (isShared ? left * this.#options.table.share : left);
  }

  #spend(credits: number): undefined {
    if (this.#options.dailyCredits !== undefined) this.#pending += credits;
  }

  /** Draws from the table. Only one draw is in flight, and concurrent calls wait for it. */
  #draw(tokens: number): PromiseOrValue<void> {
    if (this.#drawing !== undefined) return this.#drawing;
    const { name, rate, table } = this.#options;
    const spending = this.#describeSpending();
    const drawn = continueWith(table.draw({ bucket: name, rate, tokens, spending }), (answer) => {
      this.#drawing = undefined;
      if (answer !== undefined && this.#reported === spending) this.#reported = undefined;
      this.#receive(answer, tokens, spending);
    });
    if (drawn instanceof Promise) this.#drawing = drawn;
    return drawn;
  }

  #receive(drawn: Drawn | undefined, wanted: number, spending: Spending | undefined): void {
    const { now: clock, rate, table } = this.#options;
    const now = clock();
    if (this.#isAway !== (drawn === undefined)) this.#deniedUntil = 0;
    this.#isAway = drawn === undefined;
    if (drawn === undefined) {
      if (rate !== undefined) this.#ownBucket ??= createShare(rate, table.share, clock);
      return;
    }
    if (spending?.day === this.#day) this.#spent = drawn.spent;
    if (wanted === 0) return;
    if (now >= this.#heldUntil) this.#tokens = 0;
    this.#tokens += drawn.tokens;
    this.#heldUntil = now + HOLD_MS;
    this.#deniedUntil = drawn.tokens < wanted ? now + drawn.waitMs : 0;
  }

  /** Returns the spending to report; an unconfirmed report is repeated first. */
  #describeSpending(): Spending | undefined {
    if (this.#options.dailyCredits === undefined) return undefined;
    if (this.#reported === undefined || this.#reported.credits === 0) {
      this.#reported = {
        account: this.#options.name,
        day: this.#day,
        credits: this.#pending,
        entry: ++Account.#entries,
        known: this.#spent ?? 0,
      };
      this.#pending = 0;
    }
    return this.#reported;
  }

  /** Starts a new day if the clock shows one; unreported credits of another day are dropped. */
  #turnDay(now: number): void {
    const time = this.#options.clock();
    this.#dayUntil = now + Math.min(DAY_MS - (time % DAY_MS), DAY_CHECK_MS);
    const day = Math.floor(time / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#forgetDay();
  }

  #forgetDay(): void {
    this.#spent = undefined;
    this.#pending = 0;
    this.#reported = undefined;
  }

  #countCall(now: number): void {
    if (now >= this.#spanEnd) {
      this.#callsBefore = now < this.#spanEnd + PACE_MS ? this.#calls : 0;
      this.#calls = 0;
      this.#spanEnd = now + PACE_MS;
    }
    this.#calls++;
  }

  /** Call rate in this process, calls per second. */
  get #pace(): number {
    return Math.max(this.#calls, this.#callsBefore) * (1_000 / PACE_MS);
  }

  /** Time that the bucket takes to earn the owed tokens, ms. */
  get #owedMs(): number {
    const { rate } = this.#options;
    return rate === undefined ? 0 : (this.#owed / rate.perSecond) * 1_000;
  }

  #deny(reason: Denial['reason'], now: number): Denial {
    const { rate, clock } = this.#options;
    const retryAfterMs =
      reason === 'credits'
        ? DAY_MS - (clock() % DAY_MS)
        : Math.max(1, this.#deniedUntil - now) + this.#owedMs;
    return {
      reason,
      retryAfterMs,
      allowed: rate?.perSecond ?? 0,
      current: this.#pace,
    };
  }
}

function createShare({ perSecond, burst }: Rate, share: number, now: () => number): TokenBucket {
  return new TokenBucket({ capacity: Math.max(1, burst * share), perSecond: perSecond * share, now });
}
