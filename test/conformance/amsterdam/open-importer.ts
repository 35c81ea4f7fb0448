import { parseGenesis } from '../../../packages/evm/transition/genesis.ts';
import { BlockImporter } from '../../../src/chains/embedded/import/block-importer.ts';
import { initializeStore } from '../../../src/chains/embedded/import/initialize-store.ts';
import type { ChainReader } from '../../../src/chains/embedded/store/chain-reader.ts';
import { openChainWriter } from '../../../src/chains/embedded/store/chain-writer.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import type { ChainSet } from './chain-set.ts';

export type OpenImporter = {
  readonly importer: BlockImporter;
  /** Reads the committed blocks. */
  readonly reader: ChainReader;
  close(): Promise<void>;
};

/** Opens an importer over a new store that has the set's block 0. */
export function openImporter({ genesis }: Pick<ChainSet, 'genesis'>): OpenImporter {
  const folder = makeTemporaryFolder();
  const writer = openChainWriter(folder.path);
  initializeStore(writer, parseGenesis(JSON.stringify(genesis)), JSON.stringify(genesis['config']));
  return {
    importer: new BlockImporter(writer, 'ethash-format'),
    reader: writer.openReader(),
    async close() {
      await writer.close();
      folder.remove();
    },
  };
}
