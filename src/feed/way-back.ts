import type { BlockPlace } from '../chain/chain.ts';
import type { BlockLogs } from './block-logs.ts';
import { FeedError, type FeedStep } from './feed.ts';
import type { StepFinder } from './step-finder.ts';
import { findPlaceBehind } from './steps.ts';

/** Repeats a read that failed, a few times. */
type Attempt = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Checks that a listener which begins at a block that left the chain can be told what has to be taken back. Otherwise it would be ended at its
 * first step, and again each time that it begins there.
 */
export class WayBack {
  readonly #steps: StepFinder;
  readonly #logs: BlockLogs;

  constructor(steps: StepFinder, logs: BlockLogs) {
    this.#steps = steps;
    this.#logs = logs;
  }

  /**
   * Reads the blocks from this place down to the chain, and where `hasLogs` their logs, which stay cached for the listener.
   * @throws FeedError `unknownBlock`; ChainError where something cannot be read now
   */
  async check(place: BlockPlace, hasLogs: boolean, attempt: Attempt): Promise<void> {
    const removed: FeedStep['block'][] = [];
    let at = place;
    for (;;) {
      const step = await attempt(() => this.#steps.findRemoval(at));
      if (step === undefined) break;
      removed.push(step.block);
      at = findPlaceBehind(step);
    }
    if (!hasLogs) return;
    for (const { hash } of removed) await attempt(() => this.#readLogs(hash, at));
  }

  async #readLogs(hash: string, ancestor: BlockPlace): Promise<void> {
    if ((await this.#logs.readRemoved(hash, true)) !== null) return;
    throw new FeedError(
      'unknownBlock',
      `the logs of block ${hash}, which left the chain, are not known any more`,
      ancestor,
    );
  }
}
