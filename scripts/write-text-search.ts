/** Writes src/chains/upstream/checks/text-search-module.ts from the AssemblyScript beside it. */
import { writeFileSync } from 'node:fs';
import { generateTextSearchModule, TEXT_SEARCH_MODULE_FILE } from './text-search-module.ts';

writeFileSync(TEXT_SEARCH_MODULE_FILE, await generateTextSearchModule());
