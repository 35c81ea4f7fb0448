import { generateEmbeddedModule } from './core/embedded-module.ts';

/** Scripts run from build/scripts. */
export const TEXT_SEARCH_MODULE_FILE: URL = new URL(
  '../../src/upstream/checks/text-search-module.ts',
  import.meta.url,
);

/** The search for what a block says of a text as a module. */
export function generateTextSearchModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/upstream/checks/assembly/search-text.ts', import.meta.url),
    title: 'assembly/search-text.ts',
    constant: 'TEXT_SEARCH_MODULE',
    // One for its tables, two for what it goes through.
    memoryPages: 3,
    command: 'npm run text-search',
  });
}
