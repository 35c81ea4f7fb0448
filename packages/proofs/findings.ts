import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import { utf8Encoder } from '../ethereum/primitives/utf8.ts';

/** Maximum length of an evidence text in characters. Longer evidence is hashed, because evidence is stored and a node may send any text. */
const MAX_EVIDENCE = 512;

/** Parsed object of a response. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Subjects of findings: parts of a response that are verified separately. If a chain has other rules for one part, only that part becomes
 * unverifiable. `header` is verified against the block hash, and the next five subjects against hashes in the header. `place` is the position in the
 * chain (block and index) that an object names. `members`: whether an object has all required members, and no others. `logs` are compared with
 * verified receipts. The other subjects are members that follow from hashed data.
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
 * `contradicts`: the response does not match the block hash, or contradicts itself. `unknown`: the response has a form that is not known here, and
 * cannot be verified.
 */
export type Finding = {
  readonly subject: Subject;
  readonly kind: 'contradicts' | 'unknown';
  /** Description of the fault for the end of a sentence, without values of the response. */
  readonly text: string;
  /**
   * Evidence: the recomputed and returned values. Responses that agree with each other have equal evidence. Evidence is present if unknown rules of
   * the chain may also produce the finding, and absent if only a wrong response can. Long evidence is replaced by its Keccak-256 hash.
   */
  readonly evidence?: string;
};

/** Collects findings. The first finding of a subject is stored, but a contradiction replaces an unknown form. */
export class Findings {
  readonly #found = new Map<Subject, Finding>();

  /** @param evidence recomputed and returned values, which are joined by blanks to `Finding.evidence` */
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

/** Formats a value that a node returned. An object may contain a `toString` that is not a function, or be nested too deeply for `JSON.stringify`. */
function writeValue(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object that cannot be written';
  }
}
