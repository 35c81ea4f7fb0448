import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import { utf8Encoder } from '../ethereum/primitives/utf8.ts';

/** Longest evidence text in characters; longer evidence is hashed, because it is stored and a node may send anything. */
const MAX_EVIDENCE = 512;

/** Parsed object of a response. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Parts of a response that are verified separately: a chain that follows other rules in one of them loses only that part.
 * The first six are covered by roots. `place` is the position that an object states, `members` its set of members, `logs` are compared with verified
 * receipts; the others are members that follow from hashed data.
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
 * `contradicts`: the response does not match the block hash, or contradicts itself. `unknown`: it has a form that is not known here and
 * cannot be verified.
 */
export type Finding = {
  readonly subject: Subject;
  readonly kind: 'contradicts' | 'unknown';
  /** Description without values of the response, phrased to end a sentence. */
  readonly text: string;
  /**
   * Recomputed and stated values, equal for responses that agree with each other. Present if unknown chain rules would produce the finding as well as
   * a wrong response; absent if no rules can excuse it. Long evidence is replaced by its Keccak-256 hash.
   */
  readonly evidence?: string;
};

/** Collects findings: the first of a subject wins, and a contradiction replaces an unknown form. */
export class Findings {
  readonly #found = new Map<Subject, Finding>();

  /** @param evidence values of `Finding.evidence`, joined by blanks */
  contradict(subject: Subject, text: string, evidence?: readonly unknown[]): void {
    if (this.#found.get(subject)?.kind === 'contradicts') return;
    const finding = { subject, kind: 'contradicts', text } as const;
    this.#found.set(
      subject,
      evidence === undefined ? finding : { ...finding, evidence: formatEvidence(evidence) },
    );
  }

  /** @param evidence values that distinguish this unknown form from others */
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

/** An object from a node may contain a `toString` that is not a function, or be nested too deeply for JSON.stringify. */
function writeValue(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object that cannot be written';
  }
}
