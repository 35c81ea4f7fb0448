import type { Block } from '../../packages/ethereum/codecs/block.ts';

export type ImportProgress = {
  /** Reports the indexing of a store of an earlier version, before blocks are read. @param done number of indexed blocks, out of `total` */
  index(done: number, total: number): void;
  /** @param totalBytes size of the block file */
  start(totalBytes: number): void;
  /**
   * @param bytesDone file offset of the block's end
   * @param bytesCommitted file offset of the last committed block's end
   */
  advance(block: Block, kind: 'imported' | 'known', bytesDone: number, bytesCommitted: number): void;
  /** @param isComplete whether the whole file was imported */
  stop(isComplete: boolean): void;
};

/** Reports nothing. */
export const SILENT_PROGRESS: ImportProgress = {
  index: () => undefined,
  start: () => undefined,
  advance: () => undefined,
  stop: () => undefined,
};
