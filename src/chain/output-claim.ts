import type { RequestScope } from '../util/request-scope.ts';

/** What layer 1 holds of an OP Stack chain: the output root of one of its blocks. */
export type OutputClaim = {
  /** Hash of 32 zero bytes (the version), the block's state root, the storage root of the message passer, and the block's hash: lower-case `0x` text. */
  readonly outputRoot: string;
  /** A block number, or a timestamp in seconds that means the latest block at or before it. */
  readonly block: { readonly number: bigint } | { readonly timestamp: bigint };
};

/** A chain that can be anchored in what its layer 1 holds. */
export interface AnchoredChain {
  /** Finds the block of an output root, and believes its ancestors from then on. Never rejects. */
  anchor(claim: OutputClaim, scope: RequestScope): Promise<void>;
  /** Layer 1 shows no output root. @param why as the rest of a sentence */
  noteUnanchored(why: string): void;
}
