import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const TEXT_SEARCH_MODULE_FILE: URL = new URL(
  '../../src/chains/upstream/checks/text-search-module.ts',
  import.meta.url,
);

/** Generates the module that searches a text for the identity of a block and its transactions. */
export function generateTextSearchModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/chains/upstream/checks/assembly/search-text.ts', import.meta.url),
    title: 'assembly/search-text.ts',
    constant: 'TEXT_SEARCH_MODULE',
    // One page for its tables, two for the searched text.
    memoryPages: 3,
    command: 'npm run generate -- text-search',
  });
}
