import type { Clock } from '../../util/clock.ts';
import type { TokenBucket } from '../../util/token-bucket.ts';
import type { Transport } from '../transport/transport.ts';
import { createHashRate, FLOOD_PAUSE_MS } from './hash-rate.ts';

export type AnnouncedPendingParts = {
  /** Transport that supports `watch` (subscriptions). */
  readonly transport: Transport;
  readonly clock: Clock;
  /** Called with one hash, which is not validated yet. */
  readonly onHash: (hash: unknown) => void;
  /** Called when the announcements of the node exceed the rate limit; its subscription is then paused for `FLOOD_PAUSE_MS`. */
  readonly onFlood: () => void;
};

/** Source of the pending transactions that one node announces over a WebSocket. The transport subscribes again after each reconnection. */
export class AnnouncedPending {
  readonly #parts: AnnouncedPendingParts;
  readonly #rate: TokenBucket;
  #unwatch: () => void = () => {};
  #cancelReturn: () => void = () => {};

  constructor(parts: AnnouncedPendingParts) {
    this.#parts = parts;
    this.#rate = createHashRate(parts.clock);
    this.#begin();
  }

  stop(): void {
    this.#cancelReturn();
    this.#unwatch();
  }

  #begin(): void {
    const { transport, onHash } = this.#parts;
    const unwatch = transport.watch?.('newPendingTransactions', {
      onResult: (hash) => {
        if (this.#rate.tryTake()) onHash(hash);
        else this.#pause();
      },
      onLost: () => {},
      onReady: () => {},
    });
    this.#unwatch = unwatch ?? (() => {});
  }

  #pause(): void {
    const { clock, onFlood } = this.#parts;
    this.#unwatch();
    this.#unwatch = () => {};
    this.#cancelReturn = clock.schedule(() => this.#begin(), FLOOD_PAUSE_MS);
    onFlood();
  }
}
