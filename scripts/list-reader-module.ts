import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const LIST_READER_MODULE_FILE: URL = new URL(
  '../../packages/proofs/list-reader-module.ts',
  import.meta.url,
);

const FOLDER = new URL('../../packages/proofs/assembly/', import.meta.url);
const PARTS = ['block', 'header', 'hex', 'receipts', 'rlp', 'text', 'transactions', 'trie'];

/** Generates the module that reads lists of transactions and receipts. */
export function generateListReaderModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('read-lists.ts', FOLDER),
    imports: {
      ...Object.fromEntries(PARTS.map((part) => [`${part}.ts`, new URL(`${part}.ts`, FOLDER)])),
      '../../evm/interpreter/core/keccak.ts': new URL(
        '../../packages/evm/interpreter/core/keccak.ts',
        import.meta.url,
      ),
    },
    title: 'assembly/read-lists.ts',
    constant: 'LIST_READER_MODULE',
    // One page for its own tables; texts follow them, and the memory grows with the texts.
    memoryPages: 1,
    command: 'npm run generate -- list-reader',
  });
}
