/** Writes packages/ethereum/primitives/keccak-module.ts from the core's Keccak-256. */
import { writeFileSync } from 'node:fs';
import { generateKeccakModule, KECCAK_MODULE_FILE } from './core/keccak-module.ts';

writeFileSync(KECCAK_MODULE_FILE, await generateKeccakModule());
