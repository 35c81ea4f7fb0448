import { LAST_ROUNDS, REPORT_MS } from '../../shared-store/reports/report-outbox.ts';
import type { SpendTable } from '../../shared-store/spend/spend-table.ts';
import type { Clock } from '../../util/clock.ts';
import type { UpstreamOptions } from '../options.ts';
import { nameNodeAccount, nameSharedAccount } from './account-names.ts';
import { Spend } from './spend.ts';
import { SpendAccount } from './spend-account.ts';

/** Number of intervals after which the credits of an account are read although this process has spent none. */
const IDLE_ROUNDS = 5;

export type SpendLedgerOptions = {
  readonly table: SpendTable;
  readonly clock: Clock;
  /** Wall clock, Unix ms. */
  readonly wallTime: () => number;
};

/**
 * All credits that this process spends at providers. Reports them to the shared table at intervals. Between two reports, no process knows the new credits
 * of the others.
 */
export class SpendLedger {
  readonly #options: SpendLedgerOptions;
  readonly #accounts = new Map<string, SpendAccount>();
  /** Number of the last report. */
  #entries = 0;
  #rounds = 0;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SpendLedgerOptions) {
    this.#options = options;
  }

  /**
   * Opens the count of a node that has prices. Nodes with the same name, before and after a reload, have one account. The budget of an account in use
   * changes only with `apply`, because the reload that opens the node may still be refused.
   */
  open(network: string, name: string, { credits, budget }: UpstreamOptions): Spend | undefined {
    if (credits === undefined) return undefined;
    const own = this.#use(nameNodeAccount(network, name));
    const shared = budget?.account === undefined ? undefined : this.#use(nameSharedAccount(budget.account));
    const { wallTime } = this.#options;
    const claims = [own, ...(shared === undefined ? [] : [shared])].map((account) => {
      const claim = account.claim(budget, wallTime());
      void this.#report(account);
      return { account, claim };
    });
    this.#cancel ??= this.#options.clock.schedule(this.#tick, REPORT_MS);
    return new Spend(credits, own, shared, () => {
      for (const { account, claim } of claims) account.release(claim, wallTime());
    });
  }

  /** Puts the budgets of the nodes that were opened last in force, because their configuration is. */
  apply(): void {
    const time = this.#options.wallTime();
    for (const account of this.#accounts.values()) {
      const { period } = account;
      account.applyNewest(time);
      // The spent credits of another period are known only to the table.
      if (account.period !== period) void this.#report(account);
    }
  }

  /** Sends the remaining reports to the table. Does not close the table. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    for (let round = 0; round < LAST_ROUNDS; ) {
      const dirty = [...this.#accounts.values()].filter(({ isDirty }) => isDirty);
      if (dirty.length === 0) return;
      const late = countLate(dirty);
      await Promise.all(dirty.map((account) => this.#report(account)));
      if (countLate(dirty) === late) round++;
    }
  }

  #use(name: string): SpendAccount {
    const account = this.#accounts.get(name) ?? new SpendAccount(name, this.#options.wallTime());
    this.#accounts.set(name, account);
    return account;
  }

  readonly #tick = (): void => {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.schedule(this.#tick, REPORT_MS);
    const isRead = ++this.#rounds % IDLE_ROUNDS === 0;
    const time = this.#options.wallTime();
    for (const account of this.#accounts.values()) {
      const { until } = account.period;
      account.turnPeriod(time);
      if (account.isDirty || isRead || account.period.until !== until) void this.#report(account);
      else if (!account.isUsed) this.#accounts.delete(account.name);
    }
  };

  #report(account: SpendAccount): unknown {
    return account.report(this.#options.table, ++this.#entries, this.#options.wallTime());
  }
}

function countLate(accounts: readonly SpendAccount[]): number {
  return accounts.reduce((total, { lateDays }) => total + lateDays, 0);
}
