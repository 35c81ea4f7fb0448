import type { Block } from '../chain/block.ts';

export type ImportProgress = {
  /** @param totalBytes size of the block file */
  start(totalBytes: number): void;
  advance(block: Block, kind: 'imported' | 'known', bytesRead: number): void;
  stop(): void;
};

/** Says nothing. */
export const SILENT_PROGRESS: ImportProgress = {
  start: () => undefined,
  advance: () => undefined,
  stop: () => undefined,
};
