import type { BlockHeader } from './block.ts';

/** Sync state that a node reports: undefined where it is synced; the target is the highest block that it knows of. */
export type SyncClaim = { readonly target: bigint | undefined } | undefined;

/** Receives announced heads. */
export type HeadListener = { onHeader(header: BlockHeader): void; onLost(): void; onReady(): void };

/** Requests that a tracker sends to its upstream. */
export interface HeadFeed {
  /** Rejects with UpstreamFault; null where the node has no such block (or does not know the tag). */
  getBlock(block: 'latest' | 'safe' | 'finalized' | bigint): Promise<BlockHeader | null>;
  /** Rejects with UpstreamFault. */
  getSync?(): Promise<SyncClaim>;
  /** Subscribes to announced heads, where the node supports that. Returns a function that ends the subscription. */
  watch?(listener: HeadListener): () => void;
}
