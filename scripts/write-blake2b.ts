/** Writes packages/evm/cryptography/blake2b-module.ts. */
import { writeFileSync } from 'node:fs';
import { BLAKE2B_MODULE_FILE, generateBlake2bModule } from './blake2b-module.ts';

writeFileSync(BLAKE2B_MODULE_FILE, await generateBlake2bModule());
