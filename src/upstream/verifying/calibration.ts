import { SUBJECTS, type Subject } from '../../verification/findings.ts';
import { HeightMarks, type Unknown } from './height-marks.ts';

/** `untested`: no block was seen that has it. */
export type SubjectState = 'verified' | 'untested' | 'unverifiable';

/** What the status page, the log and doctor say of a network. */
export type CalibrationRow = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** Why it is not verifiable, as the rest of a sentence. */
  readonly reason?: string;
  /** The first of the newest blocks of which it is not verifiable; absent where it is not of any. */
  readonly from?: number;
  /** The last of older blocks of which it is not verifiable, below newer ones of which it is. */
  readonly until?: number;
};

/** Above every block: stands for a block of which the number is not known, so that nothing that was given up is called verified. */
export const UNKNOWN_NUMBER: bigint = 1n << 256n;

/** Roots without which nothing below can be verified. */
const BELOW_HEADER: ReadonlySet<Subject> = new Set<Subject>([
  'transactions',
  'receipts',
  'withdrawals',
  'uncles',
  'state',
]);

/** Heights of which one shows from where on something can be recomputed. */
export type UnknownFork = Unknown & { readonly subject: Subject };

/** What of a network's answers can be recomputed, as its blocks have shown, by height: forks change it. */
export class Calibration {
  /** When answers began to be compared that were not before, on the clock of `performance.now()`. */
  widenedAt: number = Number.NEGATIVE_INFINITY;
  #isDone = false;
  readonly #marks = new Map<Subject, HeightMarks>();

  /** Whether recent blocks have been looked at. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Recent blocks have been looked at. */
  finish(): void {
    if (!this.#isDone) this.widenedAt = performance.now();
    this.#isDone = true;
  }

  /** @param number of the block that is asked about; of the newest by default */
  stateOf(subject: Subject, number: bigint = UNKNOWN_NUMBER): SubjectState {
    if (this.#findFailure(subject, number) !== undefined) return 'unverifiable';
    return this.#marksOf(subject).isEmpty ? 'untested' : 'verified';
  }

  /** Whether it may be verifiable of some block. */
  mayBeVerified(subject: Subject): boolean {
    const subjects: readonly Subject[] = BELOW_HEADER.has(subject) ? [subject, 'header'] : [subject];
    return subjects.map((each) => this.#marksOf(each)).every((marks) => marks.isEmpty || marks.has(true));
  }

  /** A block has shown that it can be recomputed. */
  noteShown(subject: Subject, number: bigint): void {
    if (number === UNKNOWN_NUMBER) return;
    const marks = this.#marksOf(subject);
    if (marks.reasonAt(number) !== undefined) this.widenedAt = performance.now();
    marks.set(number, undefined);
  }

  /** Whether a block has shown that it can be recomputed. */
  hasShown(subject: Subject): boolean {
    return this.#marksOf(subject).has(true);
  }

  /** A block cannot be recomputed. What others have shown stays. */
  noteFailed(subject: Subject, reason: string, number: bigint): void {
    this.#marksOf(subject).set(number, reason);
  }

  /**
   * A recent block cannot be recomputed: no later one is compared any more, and none at all where none has been recomputed before.
   * @returns whether something is given up that was not
   */
  noteUnverifiable(subject: Subject, reason: string, number: bigint): boolean {
    const marks = this.#marksOf(subject);
    const known = marks.reasonAt(UNKNOWN_NUMBER);
    const from = number < UNKNOWN_NUMBER ? number : 0n;
    const hasShown = marks.has(true);
    marks.dropAbove(from);
    // Older ones count as recomputed until one of them is looked at.
    if (hasShown && !marks.has(true) && from > 0n) marks.set(0n, undefined);
    marks.set(from, known ?? reason);
    return known === undefined;
  }

  /** Why it is not verifiable of a block. */
  reasonOf(subject: Subject, number: bigint): string {
    return this.#findFailure(subject, number) ?? '';
  }

  /** The first of the newest blocks of which it was given up, where older ones can be recomputed. */
  givenUpFrom(subject: Subject): bigint | undefined {
    return this.#marksOf(subject).from;
  }

  /** Whether something was found not to be verifiable. */
  get isPartial(): boolean {
    return [...this.#marks.values()].some((marks) => marks.has(false));
  }

  /** Where it is not known which block is the first that follows other rules. State is left out: most nodes prove that of recent blocks only. */
  listUnknown(): readonly UnknownFork[] {
    return [...this.#marks].flatMap(([subject, marks]) =>
      subject === 'state' ? [] : marks.listUnknown().map((unknown) => ({ ...unknown, subject })),
    );
  }

  /** Blocks that are looked at again now and then, since newer ones can be recomputed: the last of those that cannot. */
  listLast(): readonly bigint[] {
    return [...new Set([...this.#marks.values()].flatMap((marks) => marks.listLast()))];
  }

  /** Parts of a range of blocks of which the same can be verified, in order. @returns the last block of each */
  divide(subjects: readonly Subject[], first: bigint, last: bigint): readonly bigint[] {
    const about = new Set<Subject>([...subjects, 'header']);
    const ends = [...about].flatMap((subject) => this.#marksOf(subject).listEnds());
    const inside = new Set(ends.filter((end) => end >= first && end < last));
    return [...inside, last].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Another chain: what could not be recomputed before may be now. */
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
