import { randomBytes } from 'node:crypto';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BeginSubscription, NotificationPort, Subscription } from '../rpc/notifier.ts';

const ID_BYTES = 16;

/** Maximum number of subscriptions of one provider. */
export const MAX_PROVIDER_SUBSCRIPTIONS = 1_000;

export type SubscriptionEvents = {
  readonly onResult: (subscription: string, result: JsonText) => void;
  /** Called when a subscription ends because it cannot continue without a gap. */
  readonly onFailure: (reason: string) => void;
};

/** Subscriptions of one provider. Listeners are called synchronously, so delivered notifications need no buffer. */
export class ProviderSubscriptions implements NotificationPort {
  readonly #events: SubscriptionEvents;
  readonly #open = new Map<string, ProviderSubscription>();
  #isClosed = false;

  constructor(events: SubscriptionEvents) {
    this.#events = events;
  }

  /** @throws RpcError (by rejection) if the provider has the maximum number of subscriptions; errors of `begin` */
  async open(_kind: string, begin: BeginSubscription): Promise<Subscription> {
    if (this.#isClosed) throw new RpcError('cancelled');
    if (this.#open.size >= MAX_PROVIDER_SUBSCRIPTIONS)
      throw new RpcError('tooManySubscriptions', 'webSocket.subscriptions', MAX_PROVIDER_SUBSCRIPTIONS);
    const subscription = new ProviderSubscription(this.#events, () => this.end(subscription.id));
    this.#open.set(subscription.id, subscription);
    try {
      subscription.begun(await begin(subscription));
    } catch (error) {
      this.end(subscription.id);
      throw error;
    }
    if (subscription.isEnded) throw new RpcError('cancelled');
    return subscription;
  }

  end(id: string): boolean {
    const subscription = this.#open.get(id);
    this.#open.delete(id);
    subscription?.stop();
    return subscription !== undefined;
  }

  /** Does nothing, because the embedding program has no limit of credits. */
  charge(): void {}

  /** Delivers the notifications of a subscription from now on, because its subscriber has received its id. */
  release(id: unknown): void {
    if (typeof id === 'string') this.#open.get(id)?.release();
  }

  close(): void {
    this.#isClosed = true;
    for (const id of this.#open.keys()) this.end(id);
  }
}

class ProviderSubscription implements Subscription {
  readonly id: string = `0x${randomBytes(ID_BYTES).toString('hex')}`;
  readonly #events: SubscriptionEvents;
  readonly #end: () => void;
  /** Notifications that precede the delivery of the subscription's id; undefined afterwards. */
  #early: JsonText[] | undefined = [];
  #leave: (() => void) | undefined;
  isEnded = false;

  constructor(events: SubscriptionEvents, end: () => void) {
    this.#events = events;
    this.#end = end;
  }

  notify(results: readonly JsonText[]): void {
    if (this.isEnded) return;
    if (this.#early !== undefined) this.#early.push(...results);
    else for (const result of results) this.#events.onResult(this.id, result);
  }

  waitForRoom(): undefined {
    return undefined;
  }

  fail(reason: string): void {
    if (this.isEnded) return;
    this.#end();
    this.#events.onFailure(reason);
  }

  /** Completes the opening. @param leave detaches the subscription from its source */
  begun(leave: () => void): void {
    if (this.isEnded) leave();
    else this.#leave = leave;
  }

  release(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.notify(early);
  }

  stop(): void {
    this.isEnded = true;
    this.#leave?.();
    this.#leave = undefined;
  }
}
