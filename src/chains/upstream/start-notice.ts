import type { Logger } from '../../observe/logger.ts';

/** If a network is not served this long after the start, this is logged, milliseconds. */
const FIRST_MS = 1_000;
/** Interval between the first two log lines, milliseconds. The interval doubles after each log line, up to `MAX_REPEAT_MS`. */
const REPEAT_MS = 60_000;
const MAX_REPEAT_MS = 3_600_000;

export type StartNoticeParts = {
  readonly network: string;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Returns the reason why no call can be answered now. */
  readonly explain: () => string;
};

/** Logs at increasing intervals that a network has not been served since the start, and why. Logs once when the network is served. */
export class StartNotice {
  readonly #parts: StartNoticeParts;
  #timer: NodeJS.Timeout | undefined;
  #repeatMs = REPEAT_MS;
  #hasEnded = false;

  constructor(parts: StartNoticeParts) {
    this.#parts = parts;
    this.#plan(FIRST_MS);
  }

  /** Logs once that the network is served. @param fields fields of the log line */
  end(fields: { readonly chainId: string; readonly head: string }): void {
    if (this.#hasEnded) return;
    this.close();
    const { network, log } = this.#parts;
    log.info({ network, ...fields }, 'network is served by its nodes');
  }

  /** Stops all logging. */
  close(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    this.#timer = setTimeout(() => {
      const { network, log, explain } = this.#parts;
      log.warn(
        { network, reason: explain() },
        'network is down: its calls are refused until its nodes are available',
      );
      this.#plan(this.#repeatMs);
      this.#repeatMs = Math.min(2 * this.#repeatMs, MAX_REPEAT_MS);
    }, ms);
    this.#timer.unref();
  }
}
