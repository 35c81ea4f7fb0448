import { PendingRead } from './layered-state.ts';

/**
 * Repeats attempts until no read of theirs is on its way: all that are missing in one round are awaited together, so a round costs one
 * round trip of the source for all attempts. Other errors end an attempt: its real execution reports them.
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
