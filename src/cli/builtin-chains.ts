import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallObject } from '../chain/chain.ts';
import type { BuiltinChain } from '../config/network-options.ts';
import { openChainReader } from '../store/chain-reader.ts';
import { BUILTIN_FACTS_FILE, builtinChainFolder } from './data-paths.ts';
import { importChain } from './import.ts';
import { SILENT_PROGRESS } from './import-progress.ts';

/** What the generator of the built-in chains tells about each of them. */
type ChainFacts = {
  readonly headHash: string;
  /** Call objects that mean something on this chain. */
  readonly calls: { readonly tokenBalance: CallObject; readonly tokenTransfer: CallObject };
};

export type BuiltinFacts = {
  readonly devnet: ChainFacts & { readonly uncleBlock: number };
  readonly rollup: ChainFacts;
};

export function readBuiltinFacts(): BuiltinFacts {
  return JSON.parse(readFileSync(BUILTIN_FACTS_FILE, 'utf8')) as BuiltinFacts;
}

async function isComplete(store: string, headHash: string): Promise<boolean> {
  if (!existsSync(join(store, 'data.mdb'))) return false;
  const reader = openChainReader(store);
  try {
    return reader.head.hashText === headHash;
  } finally {
    await reader.close();
  }
}

/**
 * The store of a built-in chain, imported if it is not there yet. A chain of another version of this
 * program has a folder of its own.
 */
export async function prepareBuiltinChain(chain: BuiltinChain, dataDir: string): Promise<string> {
  const { headHash } = readBuiltinFacts()[chain];
  const store = join(dataDir, 'chains', `${chain}-${headHash.slice(2, 10)}`);
  if (await isComplete(store, headHash)) return store;
  const folder = builtinChainFolder(chain);
  await importChain(
    {
      genesis: join(folder, 'genesis.json'),
      blocks: join(folder, 'blocks.rlp.gz'),
      data: store,
      seal: 'ethash-format',
    },
    SILENT_PROGRESS,
  );
  return store;
}
