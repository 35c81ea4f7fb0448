/** Writes src/pool/transport/json-scan-module.ts from the AssemblyScript beside it. */
import { writeFileSync } from 'node:fs';
import { generateJsonScanModule, JSON_SCAN_MODULE_FILE } from './json-scan-module.ts';

writeFileSync(JSON_SCAN_MODULE_FILE, await generateJsonScanModule());
