import { SUBJECTS, type Subject } from '../../verification/findings.ts';

/** `untested`: no block was seen that has it. */
export type SubjectState = 'verified' | 'untested' | 'unverifiable';

/** What the status page, the log and doctor say of a network. */
export type CalibrationRow = {
  readonly subject: Subject;
  readonly state: SubjectState;
  /** Why it is not verifiable, as the rest of a sentence. */
  readonly reason?: string;
};

/** Roots without which nothing below can be verified. */
const BELOW_HEADER: ReadonlySet<Subject> = new Set<Subject>([
  'transactions',
  'receipts',
  'withdrawals',
  'uncles',
  'state',
]);

/** What of a network's answers can be recomputed, as its blocks have shown. */
export class Calibration {
  /** Whether recent blocks have been looked at. */
  isDone = false;
  readonly #verified = new Set<Subject>();
  readonly #reasons = new Map<Subject, string>();

  stateOf(subject: Subject): SubjectState {
    if (this.#reasons.has(subject)) return 'unverifiable';
    if (BELOW_HEADER.has(subject) && this.#reasons.has('header')) return 'unverifiable';
    return this.#verified.has(subject) ? 'verified' : 'untested';
  }

  /** Blocks have shown that it can be recomputed. What was found not to be so before is tried again. */
  noteVerified(subject: Subject): void {
    this.#verified.add(subject);
    this.#reasons.delete(subject);
  }

  /** @returns whether that is new */
  noteUnverifiable(subject: Subject, reason: string): boolean {
    if (this.#reasons.has(subject)) return false;
    this.#reasons.set(subject, reason);
    return true;
  }

  /** Why it is not verifiable. */
  reasonOf(subject: Subject): string {
    return this.#reasons.get(subject) ?? this.#reasons.get('header') ?? '';
  }

  /** Whether something was found not to be verifiable. */
  get isPartial(): boolean {
    return this.#reasons.size > 0;
  }

  /** Another chain: what could not be recomputed before may be now. */
  reset(): void {
    this.isDone = false;
    this.#verified.clear();
    this.#reasons.clear();
  }

  describe(): readonly CalibrationRow[] {
    return SUBJECTS.map((subject) => {
      const reason = this.#reasons.get(subject);
      return { subject, state: this.stateOf(subject), ...(reason !== undefined && { reason }) };
    });
  }
}
