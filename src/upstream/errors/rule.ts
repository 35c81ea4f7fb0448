/** A kind of verdict that a code or a text can decide. Reverts are recognised by `find-revert.ts` alone. */
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

/** One row of the tables: what a client says, and what it means by it. */
export type Rule = {
  /** Where the words or the code come from. */
  readonly client: string;
  /** The row speaks of these codes only; absent: of every code. */
  readonly codes?: readonly number[];
  /** Case-insensitive, over a text cut to a fixed length; absent: every text. */
  readonly pattern?: RegExp;
  /** Rows of kind `failed` speak of executing methods only. */
  readonly kind: RuledKind;
  /** For `failed`: geth's words; `$1` is the first group of the pattern. Absent: the node's own. */
  readonly geth?: string;
  /** For `failed`: geth's words when the method estimates, where they differ. */
  readonly gethEstimate?: string;
};
