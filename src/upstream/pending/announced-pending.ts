import type { Clock } from '../../util/clock.ts';
import { TokenBucket } from '../../util/token-bucket.ts';
import type { Transport } from '../transport/transport.ts';

/** Hashes of one node: the busiest public networks have a few hundred a second. */
const MAX_PER_SECOND = 2_000;
const MAX_BURST = 20_000;
/** How long nothing is taken from a node that announces more. */
const FLOOD_PAUSE_MS = 60_000;

export type AnnouncedPendingParts = {
  /** With `watch`. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** One hash, which is not checked yet. */
  readonly onHash: (hash: unknown) => void;
  /** The node announces more than is taken: its subscription was ended for a while. */
  readonly onFlood: () => void;
};

/** Transactions that one node announces over a WebSocket, subscribed to anew on each connection. */
export class AnnouncedPending {
  readonly #parts: AnnouncedPendingParts;
  readonly #budget: TokenBucket;
  #unwatch: () => void = () => {};
  #cancelReturn: () => void = () => {};

  constructor(parts: AnnouncedPendingParts) {
    this.#parts = parts;
    const now = (): number => parts.clock.now();
    this.#budget = new TokenBucket({ capacity: MAX_BURST, perSecond: MAX_PER_SECOND, now });
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
        if (this.#budget.tryTake()) onHash(hash);
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
