import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { TokenBucket } from '../../util/token-bucket.ts';
import { DAY_MS } from '../../util/utc-day.ts';
import type { Rate } from '../keys/rate.ts';
import { CallRate } from './call-rate.ts';
import type { Drawn, LimitTable, Spending } from './limit-table.ts';

/** Reason why a call is denied, and delay until the call may be repeated. */
export type Denial = {
  readonly reason: 'rate' | 'credits';
  readonly retryAfterMs: number;
  /** Limit, calls per second; 0 if only the credits are limited. */
  readonly allowed: number;
  /** Calls of the last second in this process, refused ones included. */
  readonly current: number;
};

export type AccountOptions = {
  /** Name of the account's bucket in the table. */
  readonly name: string;
  readonly rate: Rate | undefined;
  readonly dailyCredits: number | undefined;
  readonly table: LimitTable;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Wall clock, Unix ms. */
  readonly clock: () => number;
};

/**
 * A draw takes tokens in advance for the calls of this duration, ms. An account with 1,000 calls per second in this process draws twenty at a time.
 */
const AHEAD_MS = 20;
/** Duration after which unused drawn tokens expire, ms. */
const HOLD_MS = 250;
/** Interval between checks whether an unavailable table has recovered, ms. */
const RETRY_MS = 250;
/** Maximum calls of an account that wait for the table. */
const MAX_WAITING = 1_000;
/** Maximum number of times that one call draws tokens. Concurrent calls may take the drawn tokens first, so that the call has to draw again. */
const MAX_DRAWS = 3;
/** The current day is determined from the wall clock at least this often, ms, because the wall clock may be corrected. */
const DAY_CHECK_MS = 60_000;

/**
 * Limits of one key, network or address in this process. The account draws tokens from a table that all processes share. An account draws several
 * tokens at a time, so most calls need no draw. All processes in total never exceed the shared bucket. While the table is unavailable, this process
 * grants its own share of the limits.
 */
export class Account {
  /**
   * Number of the last report of this process, shared by all accounts. With a counter per account, the numbers would start again when an evicted
   * account is reopened.
   */
  static #entries = 0;
  #options: AccountOptions;
  #tokens = 0;
  /** Number of spent tokens that are not drawn from the table yet; the next drawn tokens pay for them. */
  #owed = 0;
  #heldUntil = 0;
  #deniedUntil = 0;
  readonly #calls = new CallRate();
  #drawing: Promise<void> | undefined;
  #waiting = 0;
  /** Number of calls that wait until the table has recorded earlier spending. */
  #reporting = 0;
  #day = 0;
  /** Time at which the wall clock is read again to determine the day; monotonic, ms. */
  #dayUntil = Number.NEGATIVE_INFINITY;
  /** Credits spent on this day according to the table. Undefined before the table's first reply. */
  #spent: number | undefined;
  /** Credits that are not reported to the table yet. */
  #pending = 0;
  /** Report of spent credits that the table has not confirmed yet; undefined if there is none. */
  #reported: Spending | undefined;
  #isAway = false;
  /** Time at which an unavailable table is contacted again. */
  #retryAt = 0;
  /**
   * Bucket with this process's share of the rate, used while the table is unavailable. The bucket exists beyond an outage, so that the next outage
   * does not grant a new burst.
   */
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

  /** Credits of the day that are left, as far as this process knows; undefined without a daily limit, and before the first reply of the table. */
  get remainingCredits(): number | undefined {
    const { dailyCredits } = this.#options;
    if (dailyCredits === undefined || this.#spent === undefined) return undefined;
    return Math.max(0, dailyCredits - this.#spent - this.#pending - (this.#reported?.credits ?? 0));
  }

  /** Denial of the next call by the rate limit, if it is known without a draw from the table. */
  get denial(): Denial | undefined {
    const now = this.#options.now();
    return now < this.#deniedUntil ? this.#deny('rate', now) : undefined;
  }

  /**
   * Takes tokens and credits of the day. The result is synchronous if tokens are available.
   * @param credits credits of the call
   * @param tokens number of tokens; 0 takes only credits. The first token must be available. The other tokens, up to the burst, may be spent before
   * they are drawn.
   * @returns a denial, or undefined
   */
  take(credits: number, now: number = this.#options.now(), tokens = 1): PromiseOrValue<Denial | undefined> {
    this.#calls.add(tokens, now);
    const outcome = this.#tryOne(credits, now, tokens === 0);
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

  /** Spends credits for data that is already delivered, even beyond the daily limit. */
  spend(credits: number): void {
    this.#spend(credits);
  }

  /** Gives back the tokens and credits of a call that was not made. */
  giveBack(credits: number, tokens = 1): void {
    this.#calls.withdraw(tokens);
    if (this.#options.rate !== undefined && !this.#isAway) this.#tokens += tokens;
    if (this.#options.dailyCredits !== undefined) this.#pending -= credits;
  }

  /** Reports spent credits to the table, if there are any. */
  flush(): PromiseOrValue<void> {
    return this.isDirty ? this.#draw(0) : undefined;
  }

  /**
   * Whether this call would raise the unreported credits above the table's bound (`unreported`). Such a call waits until earlier calls' credits are
   * reported. If there are none to report, the call does not wait, even if it alone exceeds the bound.
   */
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
    const ahead = Math.ceil((this.#calls.peak / 1_000) * AHEAD_MS);
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

  /** Contacts an unavailable table again. Calls do not wait for the reply. */
  #lookAgain(now: number): void {
    this.#retryAt = now + RETRY_MS;
    void this.#draw(0);
  }

  /**
   * Whether a call would exceed the daily credits. If the table is unavailable, or has not replied yet, this process has only its share of the
   * remaining credits.
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

  /** Draws tokens from the shared table, and reports credits to it. Only one draw is in flight at a time; concurrent calls wait for that draw. */
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

  /** Returns the next report of spent credits for the table: the last report if it is unconfirmed, otherwise a new report. */
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

  /** Starts a new day if the wall clock shows another day. Unreported credits of the old day are dropped. */
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

  /** Time in which the bucket earns the tokens that the account owes, ms. */
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
      current: this.#calls.countLastSecond(now),
    };
  }
}

function createShare({ perSecond, burst }: Rate, share: number, now: () => number): TokenBucket {
  return new TokenBucket({ capacity: Math.max(1, burst * share), perSecond: perSecond * share, now });
}
