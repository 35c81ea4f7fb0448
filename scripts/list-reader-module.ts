import { generateEmbeddedModule } from './core/embedded-module.ts';

/** Scripts run from build/scripts. */
export const LIST_READER_MODULE_FILE: URL = new URL(
  '../../src/verification/list-reader-module.ts',
  import.meta.url,
);

/** The reader of lists of transactions and receipts as a module. */
export function generateListReaderModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/verification/assembly/read-lists.ts', import.meta.url),
    imports: { '../../evm/core/keccak.ts': new URL('../../src/evm/core/keccak.ts', import.meta.url) },
    title: 'assembly/read-lists.ts',
    constant: 'LIST_READER_MODULE',
    // Its own tables; texts are behind them, and it grows with these.
    memoryPages: 1,
    command: 'npm run list-reader',
  });
}
