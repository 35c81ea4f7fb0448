import type { Block } from '../chain/block.ts';

export type ImportProgress = {
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
  start: () => undefined,
  advance: () => undefined,
  stop: () => undefined,
};
