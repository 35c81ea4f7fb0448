import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';

/** Subscription of one connection. */
export interface Subscription {
  /** Subscription id: `0x` and 32 hex digits. The id is unique in the process, and hard to guess. */
  readonly id: string;
  /**
   * Sends one notification per result, in order. The results of one call belong to one event, such as the logs of a block. Notifications are buffered
   * until the response with the subscription id is sent. After the end of the subscription, `notify` does nothing.
   * @param noticedAt time at which the event became known, ms on the clock of `performance.now()`; absent for past events
   */
  notify(results: readonly JsonText[], noticedAt?: number): void;
  /**
   * Callers must call `waitForRoom` before they send each past block. Returns a promise to await while the connection has a send backlog, and
   * undefined otherwise. The call may charge credits for the block.
   */
  waitForRoom(): Promise<void> | undefined;
  /**
   * Ends the subscription by closing its connection, because the subscription cannot continue without a gap.
   * @param reason text of the close frame, at most 123 bytes
   */
  fail(reason: string): void;
}

/**
 * Starts a subscription.
 * @returns a function that ends the subscription. The function is called once: by `end`, or when the connection closes.
 */
export type BeginSubscription = (subscription: Subscription) => PromiseOrValue<() => void>;

/** Subscription interface that a connection offers to methods. HTTP requests have no notifier. */
export interface Notifier {
  /**
   * Opens a subscription.
   * @param kind subscription name of `eth_subscribe`
   * @throws RpcError where the connection or its key has too many subscriptions
   */
  open(kind: string, begin: BeginSubscription): Promise<Subscription>;
  /**
   * Ends a subscription.
   * @returns whether the subscription existed
   */
  end(id: string): boolean;
}

/** Interface that a transport offers to the gateway. */
export interface NotificationPort extends Notifier {
  /** Charges credits for notifications to the key of the connection. */
  charge(credits: number): void;
}
