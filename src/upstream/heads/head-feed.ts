import type { BlockHeader } from './block.ts';

/** What a node says of its synchronisation: undefined where it is done; the target is the highest block that it knows of. */
export type SyncClaim = { readonly target: bigint | undefined } | undefined;

/** Takes notice of announced heads. */
export type HeadListener = { onHeader(header: BlockHeader): void; onLost(): void; onReady(): void };

/** What a tracker asks of its upstream. */
export interface HeadFeed {
  /** Rejects with UpstreamFault; null where the node has no such block (a tag it does not know included). */
  getBlock(block: 'latest' | 'safe' | 'finalized' | bigint): Promise<BlockHeader | null>;
  /** Rejects with UpstreamFault. */
  getSync?(): Promise<SyncClaim>;
  /** Announced heads, where the node announces them. Returns how to end it. */
  watch?(listener: HeadListener): () => void;
}
