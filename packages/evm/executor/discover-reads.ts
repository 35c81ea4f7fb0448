import { PendingRead } from './layered-state.ts';

/**
 * Repeats the attempts until none of them throws `PendingRead`. Each round awaits the pending reads of all attempts together, and thus costs one
 * round trip to the source. If an attempt throws any other error, the attempt ends, and the actual execution reports the error.
 */
export async function discoverReads(attempts: readonly (() => void)[]): Promise<void> {
  let open = attempts;
  while (open.length > 0) {
    const reads: Promise<void>[] = [];
    open = open.filter((attempt) => {
      try {
        attempt();
        return false;
      } catch (error) {
        if (!(error instanceof PendingRead)) return false;
        reads.push(error.read);
        return true;
      }
    });
    await Promise.all(reads);
  }
}
