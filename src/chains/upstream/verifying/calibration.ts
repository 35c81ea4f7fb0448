import { SUBJECTS, type Subject } from '../../../../packages/proofs/findings.ts';
import { HeightMarks, type Unknown } from './height-marks.ts';

/** State of a part of answers (`Subject`): whether it can be verified. `untested`: no examined block contains the part. */
export type SubjectState = 'verified' | 'untested' | 'unverifiable';

/** Calibration of one `Subject`, as the status page, the log and the doctor command report it. */
export type CalibrationRow = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** Reason why the subject is unverifiable, as a clause for an error text. */
  readonly reason?: string;
  /** First block of the newest range in which the subject is unverifiable; absent if there is no such range, or if it includes every height. */
  readonly from?: number;
  /** Last block of an older unverifiable range, below newer blocks at which the subject is verifiable. */
  readonly until?: number;
};

/**
 * Number that stands for an unknown block number. `UNKNOWN_NUMBER` is above all blocks and has the calibration of the newest blocks. A subject that
 * is unverifiable at the newest blocks therefore does not count as verified at `UNKNOWN_NUMBER`.
 */
export const UNKNOWN_NUMBER: bigint = 1n << 256n;

/** Subjects that are verified by roots in the header, and so are unverifiable at every block whose header is unverifiable. */
const BELOW_HEADER: ReadonlySet<Subject> = new Set<Subject>([
  'transactions',
  'receipts',
  'withdrawals',
  'uncles',
  'state',
]);

/** A `Subject`, and a range of heights that contains the first block of a fork; examining a block in the range narrows it. */
export type UnknownFork = Unknown & { readonly subject: Subject };

/** Records which parts of a network's answers (`Subject`) can be verified at which heights, since a fork may change this. */
export class Calibration {
  /** Time at which a subject last became verifiable, on the clock of `performance.now()`. */
  widenedAt: number = Number.NEGATIVE_INFINITY;
  #isDone = false;
  readonly #marks = new Map<Subject, HeightMarks>();

  /** Returns whether recent blocks have been examined once. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Records that the examination of recent blocks is complete. */
  finish(): void {
    if (!this.#isDone) this.widenedAt = performance.now();
    this.#isDone = true;
  }

  /** Returns whether a subject can be verified at a block. @param number number of the block; by default, the newest block */
  stateOf(subject: Subject, number: bigint = UNKNOWN_NUMBER): SubjectState {
    if (this.#findFailure(subject, number) !== undefined) return 'unverifiable';
    return this.#marksOf(subject).isEmpty ? 'untested' : 'verified';
  }

  /** Returns whether a subject may be verifiable at any block. */
  mayBeVerified(subject: Subject): boolean {
    const subjects: readonly Subject[] = BELOW_HEADER.has(subject) ? [subject, 'header'] : [subject];
    return subjects.map((each) => this.#marksOf(each)).every((marks) => marks.isEmpty || marks.has(true));
  }

  /** Records that an answer about the subject was verified at a block. */
  noteShown(subject: Subject, number: bigint): void {
    if (number === UNKNOWN_NUMBER) return;
    const marks = this.#marksOf(subject);
    if (marks.reasonAt(number) !== undefined) this.widenedAt = performance.now();
    marks.set(number, undefined);
  }

  /** Returns whether the subject was verified at any block. */
  hasShown(subject: Subject): boolean {
    return this.#marksOf(subject).has(true);
  }

  /** Records that the subject is unverifiable at one block. The marks of other blocks stay the same. */
  noteFailed(subject: Subject, reason: string, number: bigint): void {
    this.#marksOf(subject).set(number, reason);
  }

  /**
   * Records that the subject is unverifiable at a recent block. From this block on, answers about the subject are no longer verified. If the subject
   * was never verified, this holds for all blocks.
   * @returns whether the subject was verifiable at the newest blocks until now
   */
  noteUnverifiable(subject: Subject, reason: string, number: bigint): boolean {
    const marks = this.#marksOf(subject);
    const known = marks.reasonAt(UNKNOWN_NUMBER);
    const from = number < UNKNOWN_NUMBER ? number : 0n;
    const hasShown = marks.has(true);
    marks.dropAbove(from);
    // Earlier blocks count as verifiable until one of them is examined and fails.
    if (hasShown && !marks.has(true) && from > 0n) marks.set(0n, undefined);
    marks.set(from, known ?? reason);
    return known === undefined;
  }

  /** Returns the reason why a subject is unverifiable at a block; the empty string if it is verifiable. */
  reasonOf(subject: Subject, number: bigint): string {
    return this.#findFailure(subject, number) ?? '';
  }

  /** Returns the first block of the newest range in which the subject is unverifiable; undefined if there is none, or if it includes all blocks. */
  abandonedFrom(subject: Subject): bigint | undefined {
    return this.#marksOf(subject).from;
  }

  /** Returns whether any subject is unverifiable at any block. */
  get isPartial(): boolean {
    return [...this.#marks.values()].some((marks) => marks.has(false));
  }

  /**
   * Returns the ranges in which the first block of a fork is to be searched. State is excluded from this search, because most nodes serve proofs only
   * for recent blocks.
   */
  listUnknown(): readonly UnknownFork[] {
    return [...this.#marks].flatMap(([subject, marks]) =>
      subject === 'state' ? [] : marks.listUnknown().map((unknown) => ({ ...unknown, subject })),
    );
  }

  /** Returns the last block of each unverifiable range below verifiable blocks. The listed blocks are examined again from time to time. */
  listLast(): readonly bigint[] {
    return [...new Set([...this.#marks.values()].flatMap((marks) => marks.listLast()))];
  }

  /**
   * Splits a range of blocks into parts. Within a part, each of `subjects` is either verifiable or unverifiable.
   * @returns the number of the last block of each part, in ascending order
   */
  divide(subjects: readonly Subject[], first: bigint, last: bigint): readonly bigint[] {
    const about = new Set<Subject>([...subjects, 'header']);
    const ends = [...about].flatMap((subject) => this.#marksOf(subject).listEnds());
    const inside = new Set(ends.filter((end) => end >= first && end < last));
    return [...inside, last].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Clears all marks; called when the network becomes another chain. */
  reset(): void {
    this.#isDone = false;
    this.#marks.clear();
  }

  describe(): readonly CalibrationRow[] {
    return SUBJECTS.map((subject) => {
      const marks = this.#marksOf(subject);
      const { from, until } = marks;
      const reason = marks.reasonAt(UNKNOWN_NUMBER);
      return {
        subject,
        state: this.stateOf(subject),
        ...(reason !== undefined && { reason }),
        ...(from !== undefined && { from: Number(from) }),
        ...(until !== undefined && { until: Number(until) }),
      };
    });
  }

  #marksOf(subject: Subject): HeightMarks {
    const known = this.#marks.get(subject);
    if (known !== undefined) return known;
    const marks = new HeightMarks();
    this.#marks.set(subject, marks);
    return marks;
  }

  #findFailure(subject: Subject, number: bigint): string | undefined {
    const own = this.#marksOf(subject).reasonAt(number);
    if (own !== undefined || !BELOW_HEADER.has(subject)) return own;
    return this.#marksOf('header').reasonAt(number);
  }
}
