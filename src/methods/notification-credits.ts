/** Credits of one event by subscription kind: a block, its logs or receipts, or one batch of transactions; modelled on hosted services. */
export const NOTIFICATION_CREDITS: Readonly<Record<string, number>> = {
  newHeads: 50,
  logs: 300,
  transactionReceipts: 1000,
  newPendingTransactions: 200,
  syncing: 5,
};

/** Credits of a block that a subscription scans while catching up, whether or not it matches. */
export const MISSED_BLOCK_CREDITS: Readonly<Record<string, number>> = { logs: 5 };

/** Returns the name of a missed block in a table of credits. */
export function nameMissedBlock(kind: string): string {
  return `${nameNotification(kind)}_missedBlock`;
}

/** Returns the name of a kind's notifications in a table of credits. */
export function nameNotification(kind: string): string {
  return `eth_subscription_${kind}`;
}

export const NOTIFICATION_NAMES: readonly string[] = [
  ...Object.keys(NOTIFICATION_CREDITS).map(nameNotification),
  ...Object.keys(MISSED_BLOCK_CREDITS).map(nameMissedBlock),
];
