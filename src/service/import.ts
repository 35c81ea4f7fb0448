import { type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { BlockError, EvmMemoryError } from '../../packages/evm/transition/block-error.ts';
import { type Genesis, parseGenesis } from '../../packages/evm/transition/genesis.ts';
import { BlockImporter, type ImportChecks } from '../chains/embedded/import/block-importer.ts';
import type { ConfigDifference } from '../chains/embedded/import/compare-configs.ts';
import { initializeStore } from '../chains/embedded/import/initialize-store.ts';
import { readBlocks } from '../chains/embedded/import/read-blocks.ts';
import type { SealCheck } from '../chains/embedded/import/validate-header.ts';
import { type ChainWriter, openChainWriter } from '../chains/embedded/store/chain-writer.ts';
import { countOf } from '../util/count-of.ts';
import { describeWriteError, prepareLmdbFolder } from '../util/lmdb-folder.ts';
import { MAX_GENESIS_BYTES, readRegularFile, requireRegular } from '../util/read-file.ts';
import { describeSystemError, isSpaceError, isStoreError } from '../util/system-error.ts';
import type { ImportProgress } from './import-progress.ts';
import { addToIndexes } from './index-store.ts';
import type { StopSignals } from './stop-signals.ts';

export const SEAL_CHECKS: readonly SealCheck[] = ['ethash-format', 'none'];

export const IMPORT_CHECKS: readonly ImportChecks[] = ['full', 'header', 'none'];

export type ImportOptions = {
  readonly genesis: string;
  /** File of RLP blocks; if it is absent, the store gets only the genesis block. */
  readonly blocks?: string;
  readonly data: string;
  readonly seal: SealCheck;
  /** Selects the checks of imported blocks; default `full`. */
  readonly verify?: ImportChecks;
  /** Maximum memory for the call frames of one transaction, bytes; the EVM's default if absent. */
  readonly callMemory?: number;
};

export type ImportSummary = {
  readonly headNumber: bigint;
  readonly headHash: string;
  /** Number of blocks that this run added. */
  readonly imported: number;
  /** Set if the genesis file has changed the rules of blocks above the stored head. */
  readonly changes?: readonly ConfigDifference[];
  /** Set if the import was stopped before the end of the file. */
  readonly isStopped?: true;
};

/** Returns the `config` object in its stored form, with all digits of the terminal total difficulty. */
function configText(genesisText: string, { config }: Genesis): string {
  const json = JSON.parse(genesisText) as { config: Record<string, unknown> };
  const difficulty = config.terminalTotalDifficulty;
  return JSON.stringify({
    ...json.config,
    ...(difficulty !== undefined && { terminalTotalDifficulty: difficulty.toString() }),
  });
}

/** @throws Error with the file and its fault */
function readGenesis(file: string): { readonly genesisText: string; readonly genesis: Genesis } {
  try {
    const genesisText = readRegularFile(file, MAX_GENESIS_BYTES).toString('utf8');
    if (genesisText.trim() === '') throw new Error('the file is empty');
    return { genesisText, genesis: parseGenesis(genesisText) };
  } catch (error) {
    // The message of a SyntaxError quotes the file's content.
    const reason =
      error instanceof SyntaxError ? 'is not JSON: expected a geth genesis file' : describeSystemError(error);
    throw new Error(`${file}: ${reason}`);
  }
}

/** Returns the size of the file in bytes. @throws Error with the file if no block can be read from it */
function findSize(file: string): number {
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw new Error(`${file}: ${describeSystemError(error)}`);
  }
  try {
    // The file is opened twice, first to detect gzip, so it must be a regular file.
    requireRegular(stats);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
  if (stats.size === 0) throw new Error(`${file}: the file is empty`);
  return stats.size;
}

/**
 * Appends the blocks of a file to a store.
 * @param stop ends the import after the current block; imported blocks are committed
 * @throws ImportError if the genesis file changes the rules of stored blocks
 * @throws ImportError with the faulty file and the number of imported blocks: all blocks before the invalid block are committed
 * @throws Error if the genesis file or the block file is unreadable, or the store cannot be opened
 */
export async function importChain(
  options: ImportOptions,
  progress: ImportProgress,
  stop?: AbortSignal,
): Promise<ImportSummary> {
  const { genesisText, genesis } = readGenesis(options.genesis);
  const { blocks } = options;
  const size = blocks === undefined ? 0 : findSize(blocks);
  prepareLmdbFolder(options.data);
  const writer = openWriter(options.data);
  try {
    let changes: readonly ConfigDifference[];
    try {
      changes = initializeStore(writer, genesis, configText(genesisText, genesis));
      await addToIndexes(writer, (done, total) => progress.index(done, total), stop);
    } catch (error) {
      if (isStoreError(error)) throw describeWriteError(options.data, error);
      throw error instanceof BlockError
        ? new ImportError(`refused: ${options.genesis}: ${error.message}`, error)
        : error;
    }
    const summary =
      blocks === undefined
        ? describeHead(writer)
        : await importBlocks(writer, { ...options, blocks }, size, progress, stop);
    return changes.length === 0 ? summary : { ...summary, changes };
  } finally {
    await writer.close();
  }
}

function openWriter(data: string): ChainWriter {
  try {
    return openChainWriter(data);
  } catch (error) {
    throw isStoreError(error) ? describeWriteError(data, error) : error;
  }
}

/** Error: an import ended before the end of its file. */
export class ImportError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ImportError';
  }
}

/** Interval at which the import yields to signals and to the progress bar, ms. */
const SLOT_MS = 50;

async function importBlocks(
  writer: ChainWriter,
  { seal, verify, blocks: file, data, callMemory }: ImportOptions & { readonly blocks: string },
  size: number,
  progress: ImportProgress,
  stop: AbortSignal | undefined,
): Promise<ImportSummary> {
  const importer = new BlockImporter(writer, seal, verify, undefined, callMemory);
  const before = importer.headNumber;
  let [read, committedEnd, turnAt] = [0, 0, performance.now() + SLOT_MS];
  let failure: unknown;
  progress.start(size);
  try {
    for await (const { encoded, fileEnd } of readBlocks(file)) {
      if (stop?.aborted === true) break;
      const { kind, block } = importer.import(encoded);
      read++;
      if (importer.isCommitted) committedEnd = fileEnd;
      progress.advance(block, kind, fileEnd, committedEnd);
      if (performance.now() < turnAt) continue;
      await setImmediate();
      turnAt = performance.now() + SLOT_MS;
    }
    if (read === 0 && stop?.aborted !== true) throw new Error('holds no block');
  } catch (error) {
    failure = error;
  }
  try {
    // After a store error nothing can be committed: the store stays at its last commit.
    if (!isStoreError(failure)) importer.commit();
  } catch (error) {
    failure ??= error;
  }
  progress.stop(failure === undefined && stop?.aborted !== true);
  const head = describeHead(writer, before);
  if (failure !== undefined) {
    const reason = isStoreError(failure)
      ? describeWriteError(data, failure).message
      : `${failure instanceof BlockError ? 'refused: ' : ''}${file}: ${describeSystemError(failure)}`;
    const remedy =
      failure instanceof EvmMemoryError ? ': import with a higher --call-memory (MiB, at most 1024)' : '';
    const goOn = isSpaceError(failure) ? '; free disk space, and run the same command again to continue' : '';
    throw new ImportError(`${reason}${remedy}; ${describeStored(head)}${goOn}`, failure);
  }
  return stop?.aborted === true ? { ...head, isStopped: true } : head;
}

/** @param before number of the head before this run; by default, the run has added no blocks */
function describeHead(writer: ChainWriter, before?: bigint): ImportSummary {
  const { header, hashText } = writer.openReader().head;
  const imported = Number(header.number - (before ?? header.number));
  return { headNumber: header.number, headHash: hashText, imported };
}

/** Describes the store after an import that did not reach the end of its file. */
export function describeStored({ headNumber, headHash, imported }: ImportSummary): string {
  return `${countOf(imported, 'block')} of this run stored, head is block ${headNumber} ${headHash}`;
}

/** Returns a line for each rule that the genesis file has changed. */
export function describeChanges({ changes = [] }: ImportSummary): string {
  return changes
    .map(
      ({ member, before, after }) => `chain configuration changed: ${member} is ${after} (was ${before})\n`,
    )
    .join('');
}

/** @returns the exit code */
export function reportStop(summary: ImportSummary, { exitCode }: StopSignals): number {
  process.stderr.write(
    `portcullis: stopped by a signal: ${describeStored(summary)}; run the same command again to continue\n`,
  );
  return exitCode;
}
