import { RpcError } from '../rpc/errors.ts';
import { type Expiring, ExpirySweep } from '../util/expiry-sweep.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** How much longer a chain may take to end the work itself, with an error that says more. */
const GRACE_MS = 500;

/** One timer for all: setting and clearing one for each call cost as much as five promises. */
const CALLS = new ExpirySweep<TimedCall>();

/** A call that has to end by the deadline of its scope. */
class TimedCall implements Expiring {
  readonly expiresAt: number;
  sweepIndex = -1;
  readonly #scope: RequestScope;
  readonly #reject: (error: RpcError) => void;

  constructor(scope: RequestScope, reject: (error: RpcError) => void) {
    this.expiresAt = scope.deadline + GRACE_MS;
    this.#scope = scope;
    this.#reject = reject;
  }

  expire(): void {
    CALLS.delete(this);
    this.#scope.abort();
    this.#reject(new RpcError('timedOut'));
  }
}

/**
 * The outcome of `work`, or RpcError when the scope's deadline has clearly passed; the scope is then aborted so that
 * the work ends too. Chains keep to the deadline themselves: this is what holds when one does not.
 */
export function settleInTime<T>(work: Promise<T>, scope: RequestScope): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = new TimedCall(scope, reject);
    CALLS.add(call);
    work.then(
      (value) => {
        CALLS.delete(call);
        resolve(value);
      },
      (error: unknown) => {
        CALLS.delete(call);
        reject(error);
      },
    );
  });
}
