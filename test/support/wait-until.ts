import { AssertionError } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 60_000;
/** The pause grows to this limit: conditions are cheap at first, and may be requests to a program later. */
const MAX_PAUSE_MS = 10;

/** Waits until a condition holds. @throws AssertionError with the condition when that takes longer than `limitMs` */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  limitMs: number = LIMIT_MS,
): Promise<void> {
  const end = performance.now() + limitMs;
  for (let pause = 1; !(await holds()); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    if (performance.now() > end)
      throw new AssertionError({
        message: `does not hold after ${limitMs} ms: ${holds}`,
        stackStartFn: waitUntil,
      });
    await sleep(pause);
  }
}
