import { bytesToHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { utf8Encoder } from '../primitives/utf8.ts';

/** Characters of evidence; of more there is a hash, since evidence is kept and a node may claim anything. */
const MAX_EVIDENCE = 512;

/** An object of an answer, as it was parsed. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Parts of answers that are verified separately: a chain on which one of them follows other rules loses that one alone. The first six are covered
 * by roots. Of the others, `place` is where an object says that it is, `members` which members it has, `logs` are compared with verified
 * receipts, and the rest are members that follow from what roots cover.
 */
export const SUBJECTS = [
  'header',
  'transactions',
  'receipts',
  'withdrawals',
  'uncles',
  'state',
  'place',
  'members',
  'from',
  'gasPrice',
  'chainId',
  'gasUsed',
  'contractAddress',
  'effectiveGasPrice',
  'logIndex',
  'logs',
  'blobGas',
] as const;
export type Subject = (typeof SUBJECTS)[number];

/**
 * `contradicts`: the answer is not what the block commits to, or contradicts itself. `unknown`: it has a form that is not known here, so
 * that nothing follows.
 */
export type Finding = {
  readonly subject: Subject;
  readonly kind: 'contradicts' | 'unknown';
  /** What was found, without values of the answer; ready to be the end of a sentence. */
  readonly text: string;
  /**
   * What was recomputed and what the answer claims: the same in answers that agree with each other. Present where a chain whose rules are not known
   * here would lead to it as well as a wrong answer; absent where no rules can excuse it. Of long ones their Keccak-256.
   */
  readonly evidence?: string;
};

/** Collects findings; of a subject the first one counts, and a contradiction more than what is unknown. */
export class Findings {
  readonly #found = new Map<Subject, Finding>();

  /** @param evidence as in `Finding`, its values separated by blanks */
  contradict(subject: Subject, text: string, evidence?: readonly unknown[]): void {
    if (this.#found.get(subject)?.kind === 'contradicts') return;
    const finding = { subject, kind: 'contradicts', text } as const;
    this.#found.set(
      subject,
      evidence === undefined ? finding : { ...finding, evidence: formatEvidence(evidence) },
    );
  }

  /** @param evidence what tells it from other unknown forms */
  noteUnknown(subject: Subject, text: string, evidence: readonly unknown[] = [text]): void {
    if (this.#found.has(subject)) return;
    this.#found.set(subject, { subject, kind: 'unknown', text, evidence: formatEvidence(evidence) });
  }

  has(subject: Subject): boolean {
    return this.#found.has(subject);
  }

  get list(): readonly Finding[] {
    return [...this.#found.values()];
  }
}

function formatEvidence(values: readonly unknown[]): string {
  const text = values.map(writeValue).join(' ').toLowerCase();
  return text.length <= MAX_EVIDENCE ? text : bytesToHex(keccak256(utf8Encoder.encode(text)));
}

/** An object of an answer may have a `toString` of its own, which is no function, and be nested deeper than can be written. */
function writeValue(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object that cannot be written';
  }
}
