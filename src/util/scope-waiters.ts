import type { RequestScope } from './request-scope.ts';

/** Requests that wait for one event. Each request waits at most until its deadline, or until its client has left. */
export class ScopeWaiters {
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when `wake` is called, the deadline is reached or the client has left. Never rejects. */
  wait({ deadline, signal }: RequestScope): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, deadline - performance.now()));
      this.#waiting.add(wake);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake);
    });
  }

  /** Wakes all waiters. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
