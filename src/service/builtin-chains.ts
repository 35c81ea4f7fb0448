import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ChainReader, openChainReader } from '../chains/embedded/store/chain-reader.ts';
import { SCHEMA_VERSION } from '../chains/embedded/store/schema.ts';
import type { BuiltinChain } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { checkLmdbFile, hasLmdbFile } from '../util/lmdb-folder.ts';
import { readErrorCode } from '../util/system-error.ts';
import { readBuiltinFacts } from './builtin-facts.ts';
import { builtinChainFolder } from './data-paths.ts';
import { SILENT_PROGRESS } from './import-progress.ts';

async function isComplete(store: string, headHash: string): Promise<boolean> {
  if (!hasLmdbFile(store)) return false;
  checkLmdbFile(store);
  let reader: ChainReader;
  try {
    reader = openChainReader(store);
  } catch {
    // The store has no committed block yet, or is faulty; the import reports a fault.
    return false;
  }
  try {
    return reader.isIndexed && reader.head.hashText === headHash;
  } finally {
    await reader.close();
  }
}

/** Maximum number of attempts to import. Another process may be importing the same chain into the same folder; an import takes a few seconds. */
const ATTEMPTS = 10;
const RETRY_MS = 500;
/** Time of an import after which the log reports it, ms. A start that seems to do nothing for longer looks like a hang. */
const NOTICE_MS = 1_000;

/**
 * Returns the folder of a built-in chain's store, and imports the chain on first use. Each chain version and store layout has a folder of its own.
 * @param log reports an import of more than `NOTICE_MS`
 * @throws Error if the import fails
 */
export async function prepareBuiltinChain(
  chain: BuiltinChain,
  dataDir: string,
  log: Pick<Logger, 'info'>,
): Promise<string> {
  const { headHash } = readBuiltinFacts()[chain];
  const data = join(dataDir, 'chains', `${chain}-${headHash.slice(2, 10)}-${SCHEMA_VERSION}`);
  if (await isComplete(data, headHash)) return data;
  const notice = setTimeout(
    () => log.info({ chain }, 'importing a built-in chain (first start only) ...'),
    NOTICE_MS,
  );
  try {
    await importBuiltinChain(chain, data, headHash);
  } finally {
    clearTimeout(notice);
  }
  return data;
}

async function importBuiltinChain(chain: BuiltinChain, data: string, headHash: string): Promise<void> {
  const folder = builtinChainFolder(chain);
  const options = {
    genesis: join(folder, 'genesis.json'),
    blocks: join(folder, 'blocks.rlp.gz'),
    data,
    seal: 'ethash-format',
  } as const;
  for (let attempt = 1; !(await isComplete(data, headHash)); attempt++) {
    // The module is loaded on demand, because only the first start imports.
    const { importChain } = await import('./import.ts');
    try {
      await importChain(options, SILENT_PROGRESS);
    } catch (error) {
      // System errors are not retried, because they do not disappear within half a second.
      const isSystem = error instanceof Error && readErrorCode(error.cause) !== undefined;
      if (isSystem || attempt === ATTEMPTS) throw error;
      await wait(RETRY_MS);
    }
  }
}
