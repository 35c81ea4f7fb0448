import { SUBJECTS, type Subject } from '../../verification/findings.ts';

/** `untested`: no block was seen that has it. */
export type SubjectState = 'verified' | 'untested' | 'unverifiable';

/** What the status page, the log and doctor say of a network. */
export type CalibrationRow = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** Why it is not verifiable, as the rest of a sentence. */
  readonly reason?: string;
  /** The first block of which it is not verifiable; absent where it is not of any. */
  readonly from?: number;
};

/** Why something cannot be recomputed, and the first block of which it cannot. */
type Failure = { readonly reason: string; readonly from: bigint };

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

/** What of a network's answers can be recomputed, as its blocks have shown: what older blocks have shown holds for these when a fork changes it. */
export class Calibration {
  /** Whether recent blocks have been looked at. */
  isDone = false;
  readonly #shown = new Set<Subject>();
  readonly #failures = new Map<Subject, Failure>();

  /** @param number of the block that is asked about; of the newest by default */
  stateOf(subject: Subject, number: bigint = UNKNOWN_NUMBER): SubjectState {
    if (this.#findFailure(subject, number) !== undefined) return 'unverifiable';
    return this.#shown.has(subject) ? 'verified' : 'untested';
  }

  /** A block has shown that it can be recomputed. Of others it may have been found not to be so, which stays. */
  noteShown(subject: Subject): void {
    this.#shown.add(subject);
  }

  /** Whether a block has shown that it can be recomputed. */
  hasShown(subject: Subject): boolean {
    return this.#shown.has(subject);
  }

  /** Recent blocks have shown that it can be recomputed. What was found not to be so before is tried again. */
  noteVerified(subject: Subject): void {
    this.#shown.add(subject);
    this.#failures.delete(subject);
  }

  /**
   * A block cannot be recomputed: no later one is compared any more, and none at all where none has been recomputed before.
   * @returns whether something is given up that was not
   */
  noteUnverifiable(subject: Subject, reason: string, number: bigint): boolean {
    const from = this.#shown.has(subject) ? number : 0n;
    const known = this.#failures.get(subject);
    if (known === undefined || from < known.from)
      this.#failures.set(subject, { reason: known?.reason ?? reason, from });
    return known === undefined;
  }

  /** Why it is not verifiable of a block. */
  reasonOf(subject: Subject, number: bigint): string {
    return this.#findFailure(subject, number)?.reason ?? '';
  }

  /** The first block of which it was given up, where it was. */
  givenUpFrom(subject: Subject): bigint | undefined {
    return this.#failures.get(subject)?.from;
  }

  /** Whether something was found not to be verifiable. */
  get isPartial(): boolean {
    return this.#failures.size > 0;
  }

  /** Another chain: what could not be recomputed before may be now. */
  reset(): void {
    this.isDone = false;
    this.#shown.clear();
    this.#failures.clear();
  }

  describe(): readonly CalibrationRow[] {
    return SUBJECTS.map((subject) => {
      const { reason, from = 0n } = this.#failures.get(subject) ?? {};
      return {
        subject,
        state: this.stateOf(subject),
        ...(reason !== undefined && { reason }),
        ...(from > 0n && { from: Number(from) }),
      };
    });
  }

  #findFailure(subject: Subject, number: bigint): Failure | undefined {
    const own = this.#failures.get(subject);
    if (own !== undefined && number >= own.from) return own;
    const header = BELOW_HEADER.has(subject) ? this.#failures.get('header') : undefined;
    return header !== undefined && number >= header.from ? header : undefined;
  }
}
