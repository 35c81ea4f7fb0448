import type { Message } from './message.ts';

/** A header is a few kilobytes; nothing longer is worth the parsing. */
const MAX_BYTES = 1_048_576;

export type Notification = { readonly subscription: string; readonly result: unknown };

/** The announcement of a subscription in a message; undefined when it is something else. */
export function readNotification({ bytes, isList, scanners }: Message): Notification | undefined {
  if (isList || scanners[0]?.id !== undefined || bytes.length > MAX_BYTES) return undefined;
  const message = JSON.parse(bytes.toString()) as { readonly method?: unknown; readonly params?: unknown };
  if (message.method !== 'eth_subscription') return undefined;
  if (typeof message.params !== 'object' || message.params === null) return undefined;
  const { subscription, result } = message.params as {
    readonly subscription?: unknown;
    readonly result?: unknown;
  };
  return typeof subscription === 'string' ? { subscription, result } : undefined;
}
