import type { Eventual } from '../../primitives/eventual.ts';
import { groupAddress } from '../../util/group-address.ts';
import { Lru } from '../../util/lru.ts';
import type { Rate } from '../keys/rate.ts';
import type { Principal } from '../principal.ts';
import { Account, type Denial } from './account.ts';
import type { LimitTable } from './limit-table.ts';

export type LimiterOptions = {
  readonly table: LimitTable;
  /** Wrong keys from one address. */
  readonly failures: Rate;
  /** By network; the others have no limit. */
  readonly networks: ReadonlyMap<string, Rate>;
  readonly now?: () => number;
  readonly clock?: () => number;
};

/** How late the table may hear of credits. */
const FLUSH_MS = 200;
const ADDRESSES = 20_000;
const ADDRESS_MS = 600_000;

/** The limits of keys, networks and addresses in this process. */
export class Limiter {
  readonly #options: LimiterOptions;
  /** Accounts live as long as the verified keys that they are of. */
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
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** One call of a key; undefined when it may be made. */
  takeForKey(principal: Principal, credits: number, now?: number): Eventual<Denial | undefined> {
    const { terms } = principal;
    if (terms === undefined || (terms.rate === undefined && terms.dailyCredits === undefined))
      return undefined;
    let account = this.#byPrincipal.get(principal);
    if (account === undefined) {
      account = this.#open(`key:${principal.id}`, terms.rate, terms.dailyCredits);
      this.#byPrincipal.set(principal, account);
    }
    if (terms.dailyCredits !== undefined && !account.isDirty) this.#dirty.add(account);
    return account.take(credits, now);
  }

  /** A call that was taken for a key and not made after all. */
  giveBack(principal: Principal, credits: number): void {
    const account = this.#byPrincipal.get(principal);
    account?.giveBack(credits);
    if (account?.isDirty === true) this.#dirty.add(account);
  }

  /** Whether a network has a limit of its own. */
  bounds(network: string): boolean {
    return this.#byNetwork.has(network);
  }

  /** One call on a network; undefined when it may be made. */
  takeForNetwork(network: string, now?: number): Eventual<Denial | undefined> {
    return this.#byNetwork.get(network)?.take(0, now);
  }

  /** Whether too many wrong keys have come from an address, and until when. */
  findBlock(address: string): Denial | undefined {
    return this.#byAddress.size > 0 ? this.#byAddress.get(groupAddress(address))?.denial : undefined;
  }

  /** A wrong key has come from an address. */
  countFailure(address: string): void {
    const group = groupAddress(address);
    let account = this.#byAddress.get(group);
    if (account === undefined) {
      account = this.#open(`address:${group}`, this.#options.failures, undefined);
      this.#byAddress.set(group, account);
    }
    void account.take(0);
  }

  /** Tells the table what it has not been told. The table itself stays open. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const accounts = [...this.#dirty];
    this.#dirty.clear();
    await Promise.all(accounts.map((account) => account.flush()));
    // What could not be entered is tried again.
    for (const account of accounts) if (account.isDirty) this.#dirty.add(account);
  }

  #open(name: string, rate: Rate | undefined, dailyCredits: number | undefined): Account {
    const { table, now = () => performance.now(), clock = Date.now } = this.#options;
    return new Account({ name, rate, dailyCredits, table, now, clock });
  }
}
