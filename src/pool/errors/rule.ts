/** Kinds of verdicts that a rule can give. Reverts are not among the kinds of verdicts here, because only `find-revert.ts` recognizes reverts. */
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

/** Maps an error of a client, by its code or message, to the meaning of the error. */
export type Rule = {
  /** Clients that send this code or message. */
  readonly client: string;
  /** Matching codes; if absent, every code matches. */
  readonly codes?: readonly number[];
  /** Case-insensitive pattern, matched against a text cut to a fixed length; if absent, every text matches. */
  readonly pattern?: RegExp;
  /** Meaning of the error. Rows of kind `failed` apply only to methods that execute code. */
  readonly kind: RuledKind;
  /** For `failed`: geth's message; `$1` is the first group of the pattern. If absent, the client gets the node's own message. */
  readonly geth?: string;
  /** For `failed`: geth's message for methods that estimate gas, if it differs from `geth`. */
  readonly gethEstimate?: string;
};
