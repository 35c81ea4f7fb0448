/** Writes the files that contain WebAssembly modules, from their AssemblyScript sources. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMBEDDED_MODULES, generateModule } from './core/embedded-modules.ts';
import { ROOT } from './program-files.ts';

for (const module of EMBEDDED_MODULES) writeFileSync(join(ROOT, module.file), await generateModule(module));
