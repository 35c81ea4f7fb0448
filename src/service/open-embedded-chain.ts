/** Loads the engine, so this file may only be imported if a chain is embedded. */
import { EngineChain } from '../chains/embedded/engine-chain.ts';
import { DEFAULT_POOL, ExecutionPool } from '../chains/embedded/execution/execution-pool.ts';
import type { Logger } from '../observe/logger.ts';
import { hasLmdbFile } from '../util/lmdb-folder.ts';
import { prepareBuiltinChain } from './builtin-chains.ts';
import type { EmbeddedSource, ExecutionBounds } from './embedded-chains.ts';
import { completeIndexes } from './index-store.ts';

type StoreOptions = { readonly dataDir: string; readonly log: Logger };

export function createExecutionPool(bounds: ExecutionBounds): ExecutionPool {
  return new ExecutionPool({ ...DEFAULT_POOL, ...bounds });
}

/** @throws Error if there is no store, or if the store cannot be opened */
export async function openEmbeddedChain(
  source: EmbeddedSource,
  pool: ExecutionPool,
  options: StoreOptions,
): Promise<EngineChain> {
  const data = await prepareStore(source, options);
  if (!hasLmdbFile(data)) throw new Error(`there is no chain store in ${data}`);
  const { embedded, logs } = source;
  return new EngineChain(data, pool, { ...(embedded && { proofBlocks: embedded.proofBlocks }), logs });
}

/**
 * Imports a missing built-in chain, and completes the indexes of an imported chain.
 * @returns path of the store's folder; the folder may not exist
 */
export async function prepareStore(
  { builtin, embedded }: Pick<EmbeddedSource, 'builtin' | 'embedded'>,
  { dataDir, log }: StoreOptions,
): Promise<string> {
  if (builtin !== undefined) return prepareBuiltinChain(builtin, dataDir, log);
  const { data } = embedded as NonNullable<EmbeddedSource['embedded']>;
  if (hasLmdbFile(data)) await completeIndexes(data, log);
  return data;
}
