/** Writes src/methods/plain-calls/plain-calls-module.ts from the AssemblyScript beside it. */
import { writeFileSync } from 'node:fs';
import { generatePlainCallsModule, PLAIN_CALLS_MODULE_FILE } from './plain-calls-module.ts';

writeFileSync(PLAIN_CALLS_MODULE_FILE, await generatePlainCallsModule());
