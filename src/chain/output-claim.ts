import type { RequestScope } from '../util/request-scope.ts';

/** Output root of an OP Stack block as layer 1 stores it. */
export type OutputClaim = {
  /** Hash of 32 zero bytes (the version), the block's state root, the message passer's storage root and the block hash: lower-case `0x` text. */
  readonly outputRoot: string;
  /** Block number, or a Unix timestamp in seconds that selects the latest block at or before it. */
  readonly block: { readonly number: bigint } | { readonly timestamp: bigint };
};

/** Chain that can be anchored in layer 1. */
export interface AnchoredChain {
  /** Finds the block of an output root and trusts its ancestors from then on. Never rejects. */
  anchor(claim: OutputClaim, scope: RequestScope): Promise<void>;
  /** Notes that layer 1 has no output root. @param why phrased to end a sentence */
  noteUnanchored(why: string): void;
}
