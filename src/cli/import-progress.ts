import type { Block } from '../chain/block.ts';

export type ImportProgress = {
  /** The indexes of a store of an earlier version are made, before blocks are read. @param done blocks of `total` */
  index(done: number, total: number): void;
  /** @param totalBytes size of the block file */
  start(totalBytes: number): void;
  /**
   * @param bytesDone where in the file the block ends
   * @param bytesCommitted where in the file the last block ends that is in the store for good
   */
  advance(block: Block, kind: 'imported' | 'known', bytesDone: number, bytesCommitted: number): void;
  /** @param isComplete the file is done to its end */
  stop(isComplete: boolean): void;
};

/** Says nothing. */
export const SILENT_PROGRESS: ImportProgress = {
  index: () => undefined,
  start: () => undefined,
  advance: () => undefined,
  stop: () => undefined,
};
