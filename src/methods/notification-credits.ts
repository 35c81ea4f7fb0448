/** Credits of one event by subscription kind, modelled on hosted services. An event is a block, the logs or receipts of a block, or a batch of transactions. */
export const NOTIFICATION_CREDITS: Readonly<Record<string, number>> = {
  newHeads: 50,
  logs: 300,
  transactionReceipts: 1000,
  newPendingTransactions: 200,
  syncing: 5,
};

/** Credits of one block that a subscription scans while it catches up. They are charged whether or not the block matches. */
export const MISSED_BLOCK_CREDITS: Readonly<Record<string, number>> = { logs: 5 };

/** Returns the name under which a table of credits lists a scanned block of this kind. */
export function nameMissedBlock(kind: string): string {
  return `${nameNotification(kind)}_missedBlock`;
}

/** Returns the name under which a table of credits lists an event of this kind. */
export function nameNotification(kind: string): string {
  return `eth_subscription_${kind}`;
}

export const NOTIFICATION_NAMES: readonly string[] = [
  ...Object.keys(NOTIFICATION_CREDITS).map(nameNotification),
  ...Object.keys(MISSED_BLOCK_CREDITS).map(nameMissedBlock),
];
