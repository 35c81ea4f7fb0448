import type { SpendStatus } from '../../observe/status.ts';
import { countOf } from '../../util/count-of.ts';
import { DAY_MS, formatDay } from '../../util/utc-day.ts';
import { type Prices, PriceTable } from './price-table.ts';
import type { SpendAccount } from './spend-account.ts';

/** Credits that the calls to one node cost, and the budget of the node. */
export class Spend {
  /** Credits that this process has spent at the node since its start. */
  total = 0;
  readonly #prices: PriceTable;
  readonly #own: SpendAccount;
  /** Account that the node shares with other nodes; undefined if the node has its own budget, or none. */
  readonly #shared: SpendAccount | undefined;
  readonly #onClose: () => void;

  /** @param onClose called when the node is closed, so that its accounts are no longer used by this node */
  constructor(prices: Prices, own: SpendAccount, shared: SpendAccount | undefined, onClose: () => void) {
    this.#prices = new PriceTable(prices);
    this.#own = own;
    this.#shared = shared;
    this.#onClose = onClose;
  }

  priceOf(method: string): number {
    return this.#prices.priceOf(method);
  }

  charge(credits: number): void {
    if (credits === 0) return;
    this.total += credits;
    this.#own.charge(credits);
    this.#shared?.charge(credits);
  }

  /** Whether the budget is used up, so that clients get answers of the node only if no other node can answer. */
  get isUsedUp(): boolean {
    return this.#account.isUsedUp;
  }

  /** Whether the budget is used up, and clients get no answer of the node at all until the budget is reset. */
  get isBarred(): boolean {
    return this.#account.budget?.hard === true && this.#account.isUsedUp;
  }

  /** Reason in errors and in the status. It continues `the node …`. */
  get reason(): string {
    const { budget, period } = this.#account;
    return `has used up its budget of ${countOf(budget?.credits ?? 0, 'credit')} until ${formatDay(period.until)} 00:00 UTC`;
  }

  describe(): SpendStatus {
    const { budget, period, spent, isUsedUp } = this.#account;
    return {
      credits: this.#own.spent,
      from: period.from * DAY_MS,
      until: period.until * DAY_MS,
      ...(budget !== undefined && {
        budget: budget.credits,
        per: budget.per,
        remaining: Math.max(0, budget.credits - spent),
        isUsedUp,
        ...(budget.account !== undefined && { account: budget.account }),
      }),
    };
  }

  close(): void {
    this.#onClose();
  }

  get #account(): SpendAccount {
    return this.#shared ?? this.#own;
  }
}
