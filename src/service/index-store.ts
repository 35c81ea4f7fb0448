import { setImmediate } from 'node:timers/promises';
import { openChainReader } from '../chains/embedded/store/chain-reader.ts';
import { type ChainWriter, openChainWriter } from '../chains/embedded/store/chain-writer.ts';
import type { Logger } from '../observe/logger.ts';
import { checkLmdbFile, prepareLmdbFolder } from '../util/lmdb-folder.ts';
import { describeSystemError } from '../util/system-error.ts';

/** Interval of progress reports, milliseconds. */
const REPORT_MS = 5_000;

/**
 * Builds the indexes of a store that an earlier version of this program filled. After a crash, the next run continues the work. Several processes
 * that index the same store share the work.
 * @throws Error that names the folder of the store if the folder cannot be written
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
        log.info({ data, blocks: done, of: total }, 'building the index of transactions and logs'),
      );
    } finally {
      await writer.close();
    }
  } catch (error) {
    throw new Error(
      `${data} has no index of transactions and logs yet, and it cannot be built: ${describeSystemError(error)}; ` +
        'serve or import once with write access to the folder',
      { cause: error },
    );
  }
  log.info({ data }, 'the index of transactions and logs is complete');
}

/**
 * Adds missing index entries; in a store of this version none are missing.
 * @param report called at the start and every few seconds
 * @param stop ends the work early; finished entries remain
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
