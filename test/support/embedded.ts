import { EngineChain } from '../../src/chains/embedded/engine-chain.ts';
import { DEFAULT_POOL, ExecutionPool } from '../../src/chains/embedded/execution/execution-pool.ts';
import { type ImportSummary, importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export { makeTemporaryFolder };

export type EmbeddedChain = {
  readonly chain: EngineChain;
  readonly summary: ImportSummary;
  /** Path of the store. */
  readonly folder: string;
  close(): Promise<void>;
};

/** Imports a block file into a store of its own and opens the chain over it. */
export async function importEmbeddedChain(
  genesis: string,
  blocks: string,
  simulationGas?: number,
): Promise<EmbeddedChain> {
  const folder = makeTemporaryFolder();
  const summary = await importChain(
    { genesis, blocks, data: folder.path, seal: 'ethash-format' },
    SILENT_PROGRESS,
  );
  const faults: string[] = [];
  const pool = new ExecutionPool({
    ...DEFAULT_POOL,
    threads: 1,
    ...(simulationGas !== undefined && { simulationGas }),
    onFault: (fault) => faults.push(fault),
  });
  const chain = new EngineChain(folder.path, pool);
  return {
    chain,
    summary,
    folder: folder.path,
    async close() {
      await pool.close();
      await chain.close();
      folder.remove();
      if (faults.length > 0) throw new Error(`faults during the test:\n${faults.join('\n')}`);
    },
  };
}
