/** Kinds of verdicts that a code or a text can decide. Only `find-revert.ts` recognizes reverts. */
type RuledKind =
  | 'failed'
  | 'invalid'
  | 'missing'
  | 'pruned'
  | 'rateLimited'
  | 'unsupported'
  | 'timeout'
  | 'unauthorized'
  | 'unknown';

/** Table row: the form of a client's error, and the meaning of the error. */
export type Rule = {
  /** Clients that use the words or the code. */
  readonly client: string;
  /** Matching codes; if absent, every code matches. */
  readonly codes?: readonly number[];
  /** Case-insensitive pattern, matched against a text cut to a fixed length; if absent, every text matches. */
  readonly pattern?: RegExp;
  /** Meaning of the error. Rows of kind `failed` apply only to methods that execute code. */
  readonly kind: RuledKind;
  /** For `failed`: geth's words; `$1` is the first group of the pattern. If absent, the words of the node are used. */
  readonly geth?: string;
  /** For `failed`: geth's words for methods that estimate gas, if they differ. */
  readonly gethEstimate?: string;
};
