import type { Subscription } from '../../rpc/notifier.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { MethodContext } from '../method-context.ts';
import { PendingLookups } from '../pending-lookups.ts';

/** Transactions that one subscription waits for at the same time. */
const MAX_IN_FLIGHT = 8;
/** Transactions that wait to be asked for; what comes while so many wait is left out. */
const MAX_WAITING = 1_000;

/** Sends transactions, of which hashes come, as objects. Those that are not found are left out. */
export class PendingTransactions {
  readonly #subscription: Subscription;
  readonly #lookups: PendingLookups;
  readonly #scope: RequestScope;
  readonly #waiting: string[] = [];
  #inFlight = 0;
  #isClosed = false;

  constructor(subscription: Subscription, context: MethodContext) {
    this.#subscription = subscription;
    this.#lookups = PendingLookups.of(context.network.chain);
    this.#scope = context.scope;
  }

  send(hashes: readonly string[]): void {
    this.#waiting.push(...hashes.slice(0, MAX_WAITING - this.#waiting.length));
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) void this.#work();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    this.#inFlight++;
    for (let hash = this.#waiting.shift(); hash !== undefined; hash = this.#waiting.shift()) {
      // Best effort: one that cannot be had is left out like one that is not there.
      const transaction = await this.#lookups.find(hash, this.#scope).catch(() => null);
      if (transaction !== null && !this.#isClosed) this.#subscription.notify([transaction]);
    }
    this.#inFlight--;
  }
}
