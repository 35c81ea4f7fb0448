import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 5;

/** Waits until it is so: the test's own time limit ends it otherwise. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(INTERVAL_MS);
}
