/** Kinds of verdicts that a code or a text can decide. Reverts are recognized by `find-revert.ts` alone. */
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

/** Table row: the form of a client's error, and its meaning. */
export type Rule = {
  /** Clients that use the words or the code. */
  readonly client: string;
  /** Matching codes; absent: every code. */
  readonly codes?: readonly number[];
  /** Case-insensitive, matched against a text cut to a fixed length; absent: every text. */
  readonly pattern?: RegExp;
  /** Rows of kind `failed` apply to executing methods only. */
  readonly kind: RuledKind;
  /** For `failed`: geth's words; `$1` is the first group of the pattern. Absent: the node's own words are used. */
  readonly geth?: string;
  /** For `failed`: geth's words for estimating methods, where they differ. */
  readonly gethEstimate?: string;
};
