import type { BlockPlace } from '../chain/chain.ts';
import type { BlockLogs } from './block-logs.ts';
import { FeedError, type FeedStep } from './feed.ts';
import type { StepFinder } from './step-finder.ts';
import { findPlaceBehind } from './steps.ts';

/** Runs a read and repeats it several times if it fails. */
type Attempt = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * A listener may start at a block that has left the chain. This class checks in advance that all blocks to be reported as removed are available. If
 * no check were made, an unavailable block would end the listener at its first step, and again after each restart.
 */
export class WayBack {
  readonly #steps: StepFinder;
  readonly #logs: BlockLogs;

  constructor(steps: StepFinder, logs: BlockLogs) {
    this.#steps = steps;
    this.#logs = logs;
  }

  /**
   * Reads the removed blocks from this position down to the first canonical ancestor. With `hasLogs`, also reads the logs of the removed blocks,
   * which remain cached for the listener.
   * @throws FeedError `unknownBlock`; ChainError if a part cannot be read now
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
      `the logs of block ${hash}, which left the chain, are no longer known`,
      ancestor,
    );
  }
}
