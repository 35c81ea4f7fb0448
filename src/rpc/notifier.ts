import type { JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';

/** One subscription of a connection. */
export interface Subscription {
  /** `0x` and 32 hex digits, unique in the process and hard to guess. */
  readonly id: string;
  /**
   * Sends a notification for each result, in order; together they are one event of what is subscribed to, such as the logs of a block. They are
   * held back until the answer that gives the id has been sent. Does nothing once ended.
   * @param noticedAt when the event became known, milliseconds on the clock of `performance.now()`; absent for what lies in the past
   */
  notify(results: readonly JsonText[], noticedAt?: number): void;
  /**
   * What to wait for before what lies in the past is sent: the connection has much that is unsent. Undefined where it has room. To be asked
   * before each block of the past, which may be charged by it.
   */
  waitForRoom(): Promise<void> | undefined;
  /** Ends it by closing its connection: it cannot go on without a gap. `reason` is what the close frame says, at most 123 bytes. */
  fail(reason: string): void;
}

/** Starts a subscription. @returns how to end it, which is called once: by `end`, or when the connection closes */
export type BeginSubscription = (subscription: Subscription) => PromiseOrValue<() => void>;

/** What a connection that can be notified offers to methods. Requests over HTTP have none. */
export interface Notifier {
  /**
   * Opens a subscription.
   * @param kind as `eth_subscribe` names it
   * @throws RpcError where the connection or its key has too many
   */
  open(kind: string, begin: BeginSubscription): Promise<Subscription>;
  /** Ends the subscription of this id. @returns whether there was one */
  end(id: string): boolean;
}

/** What a transport offers to the gateway. */
export interface NotificationPort extends Notifier {
  /** Adds to the credits that the key of the connection owes for notifications. */
  charge(credits: number): void;
}
