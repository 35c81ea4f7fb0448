import type { RequestScope } from '../util/request-scope.ts';

/** Output root of an OP Stack block, in the form that layer 1 stores. */
export type OutputClaim = {
  /** Hash over 32 zero bytes (the version), the block's state root, the message passer's storage root and the block hash; lower-case `0x` text. */
  readonly outputRoot: string;
  /** Block number, or a Unix timestamp in seconds, which selects the last block at or before it. */
  readonly block: { readonly number: bigint } | { readonly timestamp: bigint };
};

/** Chain that can be anchored in layer 1. */
export interface AnchoredChain {
  /** Finds the block of an output root; from then on its ancestors are trusted. Never rejects. */
  anchor(claim: OutputClaim, scope: RequestScope): Promise<void>;
  /** Records that layer 1 has no output root. @param why reason, phrased as the end of a sentence */
  noteUnanchored(why: string): void;
}
