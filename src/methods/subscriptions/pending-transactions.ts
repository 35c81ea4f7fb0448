import type { Subscription } from '../../rpc/notifier.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { MethodContext } from '../method-context.ts';

/** Transactions that are asked for at the same time. */
const MAX_IN_FLIGHT = 8;
/** Transactions that wait to be asked for; what comes while so many wait is left out. */
const MAX_WAITING = 1_000;
/** Of asking for one. */
const TIMEOUT_MS = 10_000;

/** Sends transactions, of which hashes come, as objects. Those that are not found are left out. */
export class PendingTransactions {
  readonly #subscription: Subscription;
  readonly #context: MethodContext;
  readonly #scope: RequestScope;
  readonly #waiting: string[] = [];
  #inFlight = 0;

  constructor(subscription: Subscription, context: MethodContext) {
    this.#subscription = subscription;
    this.#context = context;
    this.#scope = context.scope.derive({ isDetached: true, deadline: Number.POSITIVE_INFINITY });
  }

  send(hashes: readonly string[]): void {
    this.#waiting.push(...hashes.slice(0, MAX_WAITING - this.#waiting.length));
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) void this.#work();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#scope.abort();
  }

  async #work(): Promise<void> {
    this.#inFlight++;
    for (let hash = this.#waiting.shift(); hash !== undefined; hash = this.#waiting.shift())
      await this.#sendOne(hash);
    this.#inFlight--;
  }

  async #sendOne(hash: string): Promise<void> {
    const scope = this.#scope.derive({ deadline: performance.now() + TIMEOUT_MS });
    try {
      const transaction = await this.#context.network.chain.transactions.getTransaction({ hash }, scope);
      if (transaction !== null && !scope.aborted) this.#subscription.notify([transaction]);
    } catch {
      // Best effort: one that cannot be had is left out like one that is not there.
    } finally {
      scope.release();
    }
  }
}
