import type { WebSocket } from 'ws';
import type { Answer } from './fault.ts';

const POLL_MS = 50;

/** Sends `newHeads` to the subscribers of a fault upstream, from the latest block that the upstream reports. */
export class HeadAnnouncer {
  readonly #readLatest: () => Promise<Answer>;
  readonly #subscribers: Map<WebSocket, string> = new Map();
  #isPolling = false;
  #lastHash: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(readLatest: () => Promise<Answer>) {
    this.#readLatest = readLatest;
  }

  add(subscriber: WebSocket, subscription: string): void {
    this.#subscribers.set(subscriber, subscription);
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS);
  }

  remove(subscriber: WebSocket): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const answer = await this.#readLatest().catch(() => undefined);
    this.#isPolling = false;
    const block = answer !== undefined && 'result' in answer ? answer.result : null;
    const { hash, transactions, ...header } = (block ?? {}) as Record<string, unknown>;
    if (typeof hash !== 'string' || hash === this.#lastHash) return;
    const isFirst = this.#lastHash === undefined;
    this.#lastHash = hash;
    if (isFirst) return;
    for (const [subscriber, subscription] of this.#subscribers) {
      const params = { subscription, result: { hash, ...header } };
      subscriber.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    }
  }
}
