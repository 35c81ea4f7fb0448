import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { groupAddress } from '../../util/group-address.ts';
import { Lru } from '../../util/lru.ts';
import { steadyTime } from '../../util/steady-time.ts';
import type { Rate } from '../keys/rate.ts';
import type { Principal, Terms } from '../principal.ts';
import { Account, type Denial } from './account.ts';
import type { LimitTable } from './limit-table.ts';

export type LimiterOptions = {
  readonly table: LimitTable;
  /** Rate limit of wrong keys per client address. */
  readonly failures: Rate;
  /** Rate limits by network name. A network without an entry has no rate limit. */
  readonly networks: ReadonlyMap<string, Rate>;
  readonly now?: () => number;
  readonly clock?: () => number;
};

/** Interval between reports of spent credits to the table, ms. */
const FLUSH_MS = 200;
const ADDRESSES = 20_000;
const ADDRESS_MS = 600_000;
/**
 * Maximum number of cached key accounts, more than `StoredKeys` caches keys, and their lifetime in ms. An account outlives the day for which it
 * counts credits.
 */
const KEYS = 20_000;
const KEY_MS = 2 * 86_400_000;
/** Maximum rounds of reports at shutdown. Credits that are spent during one round are reported in the next. */
const LAST_ROUNDS = 3;

/** Limits of keys, networks and addresses in this process. */
export class Limiter {
  readonly #options: LimiterOptions;
  /**
   * Accounts by key id. A key has only one account per process, even if its record is replaced. With two accounts, reports could arrive out of order,
   * and the table ignores such reports.
   */
  readonly #byKey: Lru<string, Account>;
  /** The same accounts by principal, for a faster look-up than by key id. */
  readonly #byPrincipal = new WeakMap<Principal, Account>();
  readonly #byNetwork: ReadonlyMap<string, Account>;
  readonly #byAddress: Lru<string, Account>;
  readonly #dirty = new Set<Account>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#byNetwork = new Map(
      [...options.networks].map(([name, rate]) => [name, this.#open(`network:${name}`, rate, undefined)]),
    );
    this.#byAddress = new Lru(ADDRESSES, ADDRESS_MS, options.now);
    this.#byKey = new Lru(KEYS, KEY_MS, options.now);
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /**
   * Charges a call to the limits of a key.
   * @param calls number of calls that are charged to the rate
   * @returns a denial, or undefined
   */
  takeForKey(
    principal: Principal,
    credits: number,
    now?: number,
    calls?: number,
  ): PromiseOrValue<Denial | undefined> {
    const { terms } = principal;
    if (terms === undefined || (terms.rate === undefined && terms.dailyCredits === undefined))
      return undefined;
    const account = this.#byPrincipal.get(principal) ?? this.#findAccount(principal, terms);
    const outcome = account.take(credits, now, calls);
    if (terms.dailyCredits === undefined) return outcome;
    this.#dirty.add(account);
    // A call that waits for the table spends its credits after the wait, so the account has credits to report again.
    return outcome instanceof Promise ? outcome.finally(() => this.#dirty.add(account)) : outcome;
  }

  /** Charges credits to a key for data that is already delivered, even beyond the key's limit. */
  spend(principal: Principal, credits: number): void {
    const account = this.#byPrincipal.get(principal);
    account?.spend(credits);
    if (account?.isDirty === true) this.#dirty.add(account);
  }

  /** Returns the credits of the day that a key has left; undefined if the key has no daily limit, or before its first call. */
  findRemaining(principal: Principal): number | undefined {
    return this.#byPrincipal.get(principal)?.remainingCredits;
  }

  /** Refunds the tokens and credits of calls that were not made. */
  giveBack(principal: Principal, credits: number, calls = 1): void {
    const account = this.#byPrincipal.get(principal);
    account?.giveBack(credits, calls);
    if (account?.isDirty === true) this.#dirty.add(account);
  }

  /** Whether the network has a rate limit. */
  bounds(network: string): boolean {
    return this.#byNetwork.has(network);
  }

  /**
   * Charges a call to the rate limit of a network.
   * @returns a denial, or undefined
   */
  takeForNetwork(network: string, now?: number): PromiseOrValue<Denial | undefined> {
    return this.#byNetwork.get(network)?.take(0, now);
  }

  /** Returns the denial of an address that has sent too many wrong keys, or undefined. */
  findBlock(address: string): Denial | undefined {
    return this.#byAddress.size > 0 ? this.#byAddress.get(groupAddress(address))?.denial : undefined;
  }

  /** Counts a wrong key that an address has sent. */
  countFailure(address: string): void {
    const group = groupAddress(address);
    let account = this.#byAddress.get(group);
    if (account === undefined) {
      account = this.#open(`address:${group}`, this.#options.failures, undefined);
      this.#byAddress.set(group, account);
    }
    void account.take(0);
  }

  /** Sends the remaining reports to the table. `close` does not close the table. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (let round = 0; round < LAST_ROUNDS && this.#dirty.size > 0; round++) await this.#flush();
  }

  #findAccount(principal: Principal, { rate, dailyCredits }: Terms): Account {
    let account = this.#byKey.get(principal.id);
    if (account === undefined) {
      account = this.#open(`key:${principal.id}`, rate, dailyCredits);
      this.#byKey.set(principal.id, account);
    } else account.limitTo(rate, dailyCredits);
    this.#byPrincipal.set(principal, account);
    return account;
  }

  async #flush(): Promise<void> {
    const accounts = [...this.#dirty];
    this.#dirty.clear();
    await Promise.all(accounts.map((account) => account.flush()));
    // An account whose report failed is reported again later.
    for (const account of accounts) if (account.isDirty) this.#dirty.add(account);
  }

  #open(name: string, rate: Rate | undefined, dailyCredits: number | undefined): Account {
    const { table, now = () => performance.now(), clock = steadyTime } = this.#options;
    return new Account({ name, rate, dailyCredits, table, now, clock });
  }
}
