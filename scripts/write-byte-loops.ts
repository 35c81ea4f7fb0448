/** Writes packages/ethereum/primitives/byte-loops-module.ts from the AssemblyScript beside it. */
import { writeFileSync } from 'node:fs';
import { BYTE_LOOPS_MODULE_FILE, generateByteLoopsModule } from './byte-loops-module.ts';

writeFileSync(BYTE_LOOPS_MODULE_FILE, await generateByteLoopsModule());
