/** Writes packages/proofs/list-reader-module.ts from the AssemblyScript beside it. */
import { writeFileSync } from 'node:fs';
import { generateListReaderModule, LIST_READER_MODULE_FILE } from './list-reader-module.ts';

writeFileSync(LIST_READER_MODULE_FILE, await generateListReaderModule());
