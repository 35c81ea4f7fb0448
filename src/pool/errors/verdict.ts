/** Meaning of a node's error, independent of the client. */
export type Verdict =
  /** An answer: the EVM executed REVERT. `data` is raw revert data in lower-case hex, `0x` if there is none. */
  | { readonly kind: 'reverted'; readonly data: string }
  /**
   * An answer: execution, or a check before it, failed permanently. `message` is geth's equivalent message if one is known, otherwise the node's
   * message.
   */
  | { readonly kind: 'failed'; readonly message: string }
  /** An answer: the request itself is invalid. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** The node lacks the block or its state. */
  | { readonly kind: 'missing'; readonly message: string }
  /** The node once had the data and has pruned it (EIP-4444 and similar). */
  | { readonly kind: 'pruned'; readonly message: string }
  | { readonly kind: 'rateLimited'; readonly retryAfterMs?: number }
  /** The node does not have the method, or does not offer it to this service. */
  | { readonly kind: 'unsupported' }
  /** The node exceeded its own time limit. */
  | { readonly kind: 'timeout' }
  /** The node refuses the credentials of this service. */
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'unknown'; readonly code: number; readonly message: string };

export type ErrorAnswer = Extract<Verdict, { kind: 'reverted' | 'failed' | 'invalid' }>;

/**
 * Whether every honest node would report the same error. If every honest node would report an error, the request is not retried, and the error does
 * not count as a fault of the node.
 */
export function isAnswer(verdict: Verdict): verdict is ErrorAnswer {
  return verdict.kind === 'reverted' || verdict.kind === 'failed' || verdict.kind === 'invalid';
}
