import { NOTIFICATION } from './answer-bounds.ts';
import type { NodeMessage } from './message.ts';

export type NodeNotification = { readonly subscription: string; readonly result: unknown };

/**
 * Reads an `eth_subscription` notification. A message that contains the id of no subscription is not parsed.
 * @param subscriptions ids of the open subscriptions
 * @returns undefined if the message is not a notification of these subscriptions
 */
export function readNotification(
  message: NodeMessage,
  subscriptions: readonly string[],
): NodeNotification | undefined {
  const { bytes, isList, scanners } = message;
  if (isList || scanners[0]?.id !== undefined || !isOfOne(message, subscriptions)) return undefined;
  const { method, params } = JSON.parse(bytes.toString()) as {
    readonly method?: unknown;
    readonly params?: unknown;
  };
  if (method !== 'eth_subscription') return undefined;
  const { subscription, result } = Object(params) as Readonly<Record<string, unknown>>;
  if (typeof subscription !== 'string' || !subscriptions.includes(subscription)) return undefined;
  return { subscription, result };
}

/** Whether a message is short enough for a notification, and its text contains the id of one of these subscriptions. */
export function isOfOne({ bytes }: NodeMessage, subscriptions: Iterable<string>): boolean {
  if (!Buffer.isBuffer(bytes) || bytes.length > NOTIFICATION.bytes) return false;
  for (const id of subscriptions) if (bytes.includes(JSON.stringify(id))) return true;
  return false;
}
