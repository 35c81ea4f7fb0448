import type { RequestScope } from '../util/request-scope.ts';

/** Output root of an OP Stack block, in the form that layer 1 stores. */
export type OutputClaim = {
  /** Hash over 32 zero bytes (the version), the block's state root, the message passer's storage root and the block hash; lower-case `0x` text. */
  readonly outputRoot: string;
  /** Block number, or a Unix timestamp in seconds. A timestamp selects the last block at or before that time. */
  readonly block: { readonly number: bigint } | { readonly timestamp: bigint };
};

/** Rollup chain whose blocks can be verified against output roots that layer 1 stores. */
export interface AnchoredChain {
  /** Finds the block of an output root. After the block was found, the block and its ancestors are trusted. Never rejects. */
  anchor(claim: OutputClaim, scope: RequestScope): Promise<void>;
  /** Called if layer 1 has no output root of this chain. @param why reason, phrased as the end of a sentence */
  noteUnanchored(why: string): void;
}
