import { SUBJECTS, type Subject } from '../../../../packages/proofs/findings.ts';
import { HeightMarks, type Unknown } from './height-marks.ts';

/** `untested`: no examined block contains the subject. */
export type SubjectState = 'verified' | 'untested' | 'unverifiable';

/** Calibration of one subject, as the status page, the log and the doctor command show it. */
export type CalibrationRow = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** Reason why the subject is unverifiable, as the end of a sentence. */
  readonly reason?: string;
  /** First block of the newest range in which the subject is unverifiable; absent if there is no such range, or if it includes every height. */
  readonly from?: number;
  /** Last block of an older unverifiable range, below newer blocks at which the subject is verifiable. */
  readonly until?: number;
};

/**
 * Placeholder for an unknown block number. It is above every block, so that a subject that is unverifiable at recent blocks does not count as
 * verified.
 */
export const UNKNOWN_NUMBER: bigint = 1n << 256n;

/** Subjects that are verified by roots in the header; they are unverifiable at blocks whose header is unverifiable. */
const BELOW_HEADER: ReadonlySet<Subject> = new Set<Subject>([
  'transactions',
  'receipts',
  'withdrawals',
  'uncles',
  'state',
]);

/** A subject, and a range of heights that contains the first block of a fork; examining a block of the range narrows it. */
export type UnknownFork = Unknown & { readonly subject: Subject };

/** Records, per subject and height, which parts of a network's answers can be recomputed; a fork may change this. */
export class Calibration {
  /** Time at which the set of verified subjects last grew, on the clock of `performance.now()`. */
  widenedAt: number = Number.NEGATIVE_INFINITY;
  #isDone = false;
  readonly #marks = new Map<Subject, HeightMarks>();

  /** Returns whether recent blocks have been examined. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Records that the examination of recent blocks is complete. */
  finish(): void {
    if (!this.#isDone) this.widenedAt = performance.now();
    this.#isDone = true;
  }

  /** @param number number of the block; by default the newest block */
  stateOf(subject: Subject, number: bigint = UNKNOWN_NUMBER): SubjectState {
    if (this.#findFailure(subject, number) !== undefined) return 'unverifiable';
    return this.#marksOf(subject).isEmpty ? 'untested' : 'verified';
  }

  /** Returns whether the subject may be verifiable for some block. */
  mayBeVerified(subject: Subject): boolean {
    const subjects: readonly Subject[] = BELOW_HEADER.has(subject) ? [subject, 'header'] : [subject];
    return subjects.map((each) => this.#marksOf(each)).every((marks) => marks.isEmpty || marks.has(true));
  }

  /** Records that the subject was verified at a block. */
  noteShown(subject: Subject, number: bigint): void {
    if (number === UNKNOWN_NUMBER) return;
    const marks = this.#marksOf(subject);
    if (marks.reasonAt(number) !== undefined) this.widenedAt = performance.now();
    marks.set(number, undefined);
  }

  /** Returns whether the subject was verified for some block. */
  hasShown(subject: Subject): boolean {
    return this.#marksOf(subject).has(true);
  }

  /** Records that the subject is unverifiable at a block; marks of other blocks are unchanged. */
  noteFailed(subject: Subject, reason: string, number: bigint): void {
    this.#marksOf(subject).set(number, reason);
  }

  /**
   * Records that the subject is unverifiable at a recent block. Answers about this and later blocks are no longer verified. If the subject was never
   * verified, this holds for all blocks.
   * @returns whether the subject was verifiable at the newest blocks until now
   */
  noteUnverifiable(subject: Subject, reason: string, number: bigint): boolean {
    const marks = this.#marksOf(subject);
    const known = marks.reasonAt(UNKNOWN_NUMBER);
    const from = number < UNKNOWN_NUMBER ? number : 0n;
    const hasShown = marks.has(true);
    marks.dropAbove(from);
    // Older blocks count as verifiable until one of them is examined.
    if (hasShown && !marks.has(true) && from > 0n) marks.set(0n, undefined);
    marks.set(from, known ?? reason);
    return known === undefined;
  }

  /** Returns the reason why the subject is unverifiable at a block; empty if it is verifiable. */
  reasonOf(subject: Subject, number: bigint): string {
    return this.#findFailure(subject, number) ?? '';
  }

  /** Returns the first block of the newest range in which the subject is unverifiable, if older blocks can be verified. */
  abandonedFrom(subject: Subject): bigint | undefined {
    return this.#marksOf(subject).from;
  }

  /** Returns whether some subject is unverifiable at some block. */
  get isPartial(): boolean {
    return [...this.#marks.values()].some((marks) => marks.has(false));
  }

  /** Ranges in which the first block of a fork is unknown. State is excluded, since most nodes serve proofs only for recent blocks. */
  listUnknown(): readonly UnknownFork[] {
    return [...this.#marks].flatMap(([subject, marks]) =>
      subject === 'state' ? [] : marks.listUnknown().map((unknown) => ({ ...unknown, subject })),
    );
  }

  /** Last blocks of unverifiable ranges below verifiable blocks; these blocks are examined again from time to time. */
  listLast(): readonly bigint[] {
    return [...new Set([...this.#marks.values()].flatMap((marks) => marks.listLast()))];
  }

  /**
   * Splits a range of blocks into parts within which the same subjects are verifiable.
   * @returns the last block of each part, in ascending order
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
