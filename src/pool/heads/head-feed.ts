import type { BlockHeader } from './block.ts';

/** Result of `eth_syncing`: undefined if the node is synced; `target` is the highest block that the node knows of. */
export type SyncClaim = { readonly target: bigint | undefined } | undefined;

/** Receives announced heads. */
export type HeadListener = { onHeader(header: BlockHeader): void; onLost(): void; onReady(): void };

/** Requests that a tracker of heads sends to its upstream. */
export interface HeadFeed {
  /** Resolves to null if the node has no such block or does not know the tag; rejects with UpstreamFault. */
  getBlock(block: 'latest' | 'safe' | 'finalized' | bigint): Promise<BlockHeader | null>;
  /** Rejects with UpstreamFault. */
  getSync?(): Promise<SyncClaim>;
  /** Subscribes to announced heads, if the node supports that. Returns a function that ends the subscription. */
  watch?(listener: HeadListener): () => void;
}
