import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';

/** Interval between reports of a process to a shared table, ms. A killed process loses the counts since its last report. */
export const REPORT_MS = 1_000;
/**
 * Maximum rounds of reports at the end of a process, besides one for each earlier day that is not reported yet. Calls that end during one round are
 * reported in the next.
 */
export const LAST_ROUNDS = 3;

/** Outcome of sending: `none` if there was nothing to report. */
export type ReportOutcome = 'none' | 'confirmed' | 'unconfirmed';

type ReportSteps<R, A> = {
  /** Returns the next report, once the table has confirmed the previous one; undefined if there is nothing to report. */
  readonly next: () => R | undefined;
  /** Sends a report. Never throws or rejects. @returns the answer of the table; undefined if the outcome is unknown */
  readonly deliver: (report: R) => PromiseOrValue<A | undefined>;
  readonly onOutcome?: (answer: A | undefined, report: R) => void;
};

/**
 * Sends reports to a shared table, one at a time and in their order. A report with unknown outcome is sent again before any other, so that the table
 * can apply each report once by its number.
 */
export class ReportOutbox<R, A> {
  #unconfirmed: R | undefined;
  #sending: Promise<ReportOutcome> | undefined;

  /** Report that the table has not confirmed yet. */
  get unconfirmed(): R | undefined {
    return this.#unconfirmed;
  }

  /** Sends the unconfirmed report, or else the next one. If a report is in flight, returns its outcome. */
  send({ next, deliver, onOutcome }: ReportSteps<R, A>): PromiseOrValue<ReportOutcome> {
    if (this.#sending !== undefined) return this.#sending;
    this.#unconfirmed ??= next();
    const report = this.#unconfirmed;
    if (report === undefined) return 'none';
    const done = continueWith(deliver(report), (answer): ReportOutcome => {
      this.#sending = undefined;
      if (answer !== undefined) this.#unconfirmed = undefined;
      onOutcome?.(answer, report);
      return answer === undefined ? 'unconfirmed' : 'confirmed';
    });
    if (done instanceof Promise) this.#sending = done;
    return done;
  }

  /** Drops the unconfirmed report. */
  forget(): void {
    this.#unconfirmed = undefined;
  }
}
