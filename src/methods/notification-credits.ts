/** Kinds of subscriptions, and what an event of each weighs: a block, its logs or receipts, transactions that came together; as hosted services count. */
export const NOTIFICATION_CREDITS: Readonly<Record<string, number>> = {
  newHeads: 50,
  logs: 300,
  transactionReceipts: 1000,
  newPendingTransactions: 200,
  syncing: 5,
};

/** What a block that a kind looks through before it has caught up weighs, whether it has something to send of it or not. */
export const MISSED_BLOCK_CREDITS: Readonly<Record<string, number>> = { logs: 5 };

/** What a table of credits calls that. */
export function nameMissedBlock(kind: string): string {
  return `${nameNotification(kind)}_missedBlock`;
}

/** What a table of credits calls the notifications of a kind of subscription. */
export function nameNotification(kind: string): string {
  return `eth_subscription_${kind}`;
}

export const NOTIFICATION_NAMES: readonly string[] = [
  ...Object.keys(NOTIFICATION_CREDITS).map(nameNotification),
  ...Object.keys(MISSED_BLOCK_CREDITS).map(nameMissedBlock),
];
