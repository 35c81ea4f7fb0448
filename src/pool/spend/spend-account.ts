import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { ReportOutbox } from '../../shared-store/reports/report-outbox.ts';
import type { DaySpend, SpendReport, SpendTable } from '../../shared-store/spend/spend-table.ts';
import { DAY_MS } from '../../util/utc-day.ts';
import { type Budget, findPeriod, type Period } from './budget.ts';

/** Maximum number of earlier days whose credits are kept apart while the table is unavailable. Beyond it, the oldest days are reported as one. */
const MAX_LATE_DAYS = 7;

/** Budget that the configuration of one node demands for an account. */
export type BudgetClaim = { readonly budget: Budget | undefined };

/** Credits of one account of the shared table, as this process knows them. */
export class SpendAccount {
  readonly name: string;
  /** Claims of the nodes that charge this account, oldest first. During a reload, it has claims of two configurations. */
  #claims: readonly BudgetClaim[] = [];
  /** Claim that sets the budget. */
  #inForce: BudgetClaim | undefined;
  #period: Period;
  /** Credits that all processes have spent in the period, according to the table's last reply. */
  #recorded = 0;
  /** Day of `#pending`, since 1970, UTC. */
  #day: number;
  /** Credits of the day that are not reported to the table yet. */
  #pending = 0;
  /** Credits of earlier days that are not reported yet, oldest first. */
  #late: readonly DaySpend[] = [];
  readonly #outbox = new ReportOutbox<SpendReport, number>();

  /** @param time Unix ms */
  constructor(name: string, time: number) {
    this.name = name;
    this.#period = findPeriod(undefined, time);
    this.#day = Math.floor(time / DAY_MS);
  }

  get budget(): Budget | undefined {
    return this.#inForce?.budget;
  }

  /** Whether any node charges this account. */
  get isUsed(): boolean {
    return this.#claims.length > 0;
  }

  get period(): Period {
    return this.#period;
  }

  /** Credits spent in the period by all processes, without those that other processes have spent since the last report. */
  get spent(): number {
    let spent = this.#recorded + this.#pending;
    for (const { day, credits } of this.#late) if (day >= this.#period.from) spent += credits;
    const reported = this.#outbox.unconfirmed;
    return reported !== undefined && reported.day >= this.#period.from ? spent + reported.credits : spent;
  }

  get isUsedUp(): boolean {
    const { budget } = this;
    return budget !== undefined && this.spent >= budget.credits;
  }

  /** Whether there are credits that the table has not confirmed. */
  get isDirty(): boolean {
    return this.#pending > 0 || this.#late.length > 0 || (this.#outbox.unconfirmed?.credits ?? 0) > 0;
  }

  /** Number of earlier days that are not reported yet. */
  get lateDays(): number {
    return this.#late.length;
  }

  /** Adds the budget of a node, which is in force at once only if no other node charges the account. @param time Unix ms */
  claim(budget: Budget | undefined, time: number): BudgetClaim {
    const claim = { budget };
    this.#claims = [...this.#claims, claim];
    if (this.#claims.length === 1) this.#enforce(claim, time);
    return claim;
  }

  /** Puts the newest budget in force. @param time Unix ms */
  applyNewest(time: number): void {
    const newest = this.#claims.at(-1);
    if (newest !== undefined) this.#enforce(newest, time);
  }

  /** Removes a claim. If it was in force, the oldest remaining one is. @param time Unix ms */
  release(claim: BudgetClaim, time: number): void {
    this.#claims = this.#claims.filter((one) => one !== claim);
    const [oldest] = this.#claims;
    if (claim === this.#inForce && oldest !== undefined) this.#enforce(oldest, time);
  }

  charge(credits: number): void {
    this.#pending += credits;
  }

  /** Begins a new period if the time is outside of the present one. The recorded credits count as 0 until the table replies. @param time Unix ms */
  turnPeriod(time: number): void {
    this.#turnDay(Math.floor(time / DAY_MS));
    const period = findPeriod(this.budget, time);
    if (period.from === this.#period.from && period.until === this.#period.until) return;
    this.#period = period;
    this.#recorded = 0;
  }

  /**
   * Reports the credits since the last report, and reads the credits of all processes. Only one report is in flight at a time.
   * @param entry number of the report if it is a new one
   * @param time Unix ms
   */
  report(table: SpendTable, entry: number, time: number): PromiseOrValue<unknown> {
    const period = this.#period;
    this.#turnDay(Math.floor(time / DAY_MS));
    return this.#outbox.send({
      next: () => this.#createReport(entry, period),
      deliver: (report) => table.report({ ...report, since: period.from }),
      onOutcome: (recorded, report) => {
        // Without credits, the outcome of the report does not matter, and the next report has a new day.
        if (report.credits === 0) this.#outbox.forget();
        if (recorded !== undefined && this.#period === period) this.#recorded = recorded;
      },
    });
  }

  #createReport(entry: number, period: Period): SpendReport {
    const [late, ...others] = this.#late;
    const { day, credits } = late ?? { day: this.#day, credits: this.#pending };
    if (late === undefined) this.#pending = 0;
    else this.#late = others;
    return { account: this.name, day, credits, since: period.from, entry };
  }

  #enforce(claim: BudgetClaim, time: number): void {
    this.#inForce = claim;
    this.turnPeriod(time);
  }

  /** Keeps the credits of the day before apart, because they may belong to another period. */
  #turnDay(day: number): void {
    if (day === this.#day) return;
    if (this.#pending > 0) {
      const late = [...this.#late, { day: this.#day, credits: this.#pending }];
      const [first, second, ...others] = late;
      this.#late =
        late.length > MAX_LATE_DAYS && first !== undefined && second !== undefined
          ? [{ day: second.day, credits: first.credits + second.credits }, ...others]
          : late;
      this.#pending = 0;
    }
    this.#day = day;
  }
}
