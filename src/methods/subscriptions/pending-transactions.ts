import type { Subscription } from '../../rpc/notifier.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { MethodContext } from '../method-context.ts';
import { PendingLookups } from '../pending-lookups.ts';

/** Maximum concurrent transaction requests per subscription. */
const MAX_IN_FLIGHT = 8;
/** Maximum queued transaction hashes per subscription. Hashes that arrive while the queue is full are dropped. */
const MAX_WAITING = 1_000;

/** Sends announced transactions as objects. A transaction that is not found is left out. */
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
      // Full transactions are sent on a best-effort basis, so a failed look-up counts as not found.
      const transaction = await this.#lookups.find(hash, this.#scope).catch(() => null);
      if (transaction !== null && !this.#isClosed) this.#subscription.notify([transaction]);
    }
    this.#inFlight--;
  }
}
