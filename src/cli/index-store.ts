import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../observe/logger.ts';
import { openChainReader } from '../store/chain-reader.ts';
import { type ChainWriter, openChainWriter } from '../store/chain-writer.ts';
import { checkLmdbFile, prepareLmdbFolder } from '../util/lmdb-folder.ts';
import { describeSystemError } from '../util/system-error.ts';

/** Between two lines in the log. */
const REPORT_MS = 5_000;

/**
 * Makes the indexes of a store that an earlier version of this program filled. Killed in between it goes on there the next time, and a
 * second process that does the same shares the work.
 * @throws Error naming the folder when it cannot be written
 */
export async function completeIndexes(data: string, log: Pick<Logger, 'info'>): Promise<void> {
  checkLmdbFile(data);
  const reader = openChainReader(data);
  const { isIndexed } = reader;
  await reader.close();
  if (isIndexed) return;
  try {
    prepareLmdbFolder(data);
    const writer = openChainWriter(data);
    try {
      await addToIndexes(writer, (done, total) =>
        log.info({ data, blocks: done, of: total }, 'the index of transactions and logs is being made'),
      );
    } finally {
      await writer.close();
    }
  } catch (error) {
    throw new Error(
      `${data} has no index of transactions and logs yet, and it cannot be made: ${describeSystemError(error)}; ` +
        'serve or import once with write access to the folder',
      { cause: error },
    );
  }
  log.info({ data }, 'the index of transactions and logs is complete');
}

/**
 * Adds to the indexes what they lack; nothing in a store that this version has filled.
 * @param report called at the start and every few seconds
 * @param stop ends it early; what is done is kept
 */
export async function addToIndexes(
  writer: ChainWriter,
  report: (done: number, total: number) => void,
  stop?: AbortSignal,
): Promise<void> {
  let reportAt = 0;
  for (;;) {
    const { done, total } = writer.indexPiece();
    if (done === total || stop?.aborted === true) return;
    if (performance.now() >= reportAt) {
      report(Number(done), Number(total));
      reportAt = performance.now() + REPORT_MS;
    }
    await setImmediate();
  }
}
