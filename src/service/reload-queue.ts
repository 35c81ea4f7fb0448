import type { Logger } from '../observe/logger.ts';

/** Maximum time that the end of the service waits for a reload in progress, ms; shorter than the time after which a worker is killed. */
const END_LIMIT_MS = 2_000;

export type ReloadSteps<Next, Opened> = {
  /** Opens the parts of a configuration. @throws Error (by rejection) if the configuration cannot be applied; then nothing remains open */
  readonly open: (next: Next) => Promise<Opened>;
  /** Puts opened parts in force. */
  readonly apply: (opened: Opened, next: Next) => void;
  readonly log: Logger;
};

/** Runs the reloads of a process one after the other, in the order of their requests, until the service ends. */
export class ReloadQueue<Next, Opened extends { close(): Promise<void> }> {
  readonly #steps: ReloadSteps<Next, Opened>;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #abandoned: Promise<undefined>;
  #abandon: () => void = () => {};
  #hasAbandoned = false;

  constructor(steps: ReloadSteps<Next, Opened>) {
    this.#steps = steps;
    this.#abandoned = new Promise((resolve) => {
      this.#abandon = () => resolve(undefined);
    });
  }

  /** @throws Error (by rejection) if the configuration cannot be applied, or if the service ends before */
  reload(next: Next): Promise<void> {
    const done = this.#last.then(() => this.#reload(next));
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Refuses reloads that have not begun, and waits for the one in progress. A reload that takes too long is refused, and what it opens is closed as
   * soon as it is open.
   * @returns whether a reload was abandoned
   */
  async close(): Promise<boolean> {
    this.#isClosed = true;
    const timer = setTimeout(this.#abandon, END_LIMIT_MS);
    await this.#last;
    clearTimeout(timer);
    return this.#hasAbandoned;
  }

  async #reload(next: Next): Promise<void> {
    if (this.#isClosed) throw new Error('the service is stopping');
    const { open, apply, log } = this.#steps;
    const opening = open(next);
    const opened = await Promise.race([opening, this.#abandoned]);
    if (opened !== undefined) {
      apply(opened, next);
      return;
    }
    this.#hasAbandoned = true;
    void opening
      .then((late) => late.close())
      .catch((error: unknown) => log.error({ err: error }, 'an abandoned reload failed'));
    throw new Error(`the service is stopping, and the reload did not end in ${END_LIMIT_MS / 1_000} s`);
  }
}
