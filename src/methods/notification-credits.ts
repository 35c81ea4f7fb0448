/**
 * Credits of one event by subscription kind, similar to the prices of hosted services. An event is a block, the logs or receipts of a block, or a
 * batch of transactions.
 */
export const NOTIFICATION_CREDITS: Readonly<Record<string, number>> = {
  newHeads: 50,
  logs: 300,
  transactionReceipts: 1000,
  newPendingTransactions: 200,
  syncing: 5,
};

/** Credits of one block that a subscription scans while it catches up. The credits are charged whether or not the block matches. */
export const MISSED_BLOCK_CREDITS: Readonly<Record<string, number>> = { logs: 5 };

/** Returns the name of a scanned block of this subscription kind in a table of credits. */
export function nameMissedBlock(kind: string): string {
  return `${nameNotification(kind)}_missedBlock`;
}

/** Returns the name of an event of this subscription kind in a table of credits. */
export function nameNotification(kind: string): string {
  return `eth_subscription_${kind}`;
}

export const NOTIFICATION_NAMES: readonly string[] = [
  ...Object.keys(NOTIFICATION_CREDITS).map(nameNotification),
  ...Object.keys(MISSED_BLOCK_CREDITS).map(nameMissedBlock),
];
