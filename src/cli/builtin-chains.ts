import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BuiltinChain } from '../config/network-options.ts';
import { type ChainReader, openChainReader } from '../store/chain-reader.ts';
import { SCHEMA_VERSION } from '../store/schema.ts';
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
    // Nothing was committed yet, or the import will say what is wrong.
    return false;
  }
  try {
    return reader.isIndexed && reader.head.hashText === headHash;
  } finally {
    await reader.close();
  }
}

/** Another process may be importing the same chain into the same folder: it is done within seconds. */
const ATTEMPTS = 10;
const RETRY_MS = 500;

/**
 * The store of a built-in chain, imported if it is not there yet. Another chain, or another layout, of another
 * version of this program has a folder of its own.
 */
export async function prepareBuiltinChain(chain: BuiltinChain, dataDir: string): Promise<string> {
  const { headHash } = readBuiltinFacts()[chain];
  const data = join(dataDir, 'chains', `${chain}-${headHash.slice(2, 10)}-${SCHEMA_VERSION}`);
  const folder = builtinChainFolder(chain);
  const options = {
    genesis: join(folder, 'genesis.json'),
    blocks: join(folder, 'blocks.rlp.gz'),
    data,
    seal: 'ethash-format',
  } as const;
  for (let attempt = 1; !(await isComplete(data, headHash)); attempt++) {
    // What an import needs is loaded at the first start only.
    const { importChain } = await import('./import.ts');
    try {
      await importChain(options, SILENT_PROGRESS);
    } catch (error) {
      // What the system refuses now it refuses in half a second as well.
      const isSystem = error instanceof Error && readErrorCode(error.cause) !== undefined;
      if (isSystem || attempt === ATTEMPTS) throw error;
      await wait(RETRY_MS);
    }
  }
  return data;
}
