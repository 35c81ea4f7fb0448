/** Writes packages/NAME/dist, the contents of the published packages. It must run before `npm pack`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, PACKAGES } from './packages/build-package.ts';
import { ROOT } from './program-files.ts';

for (const name of PACKAGES) {
  const folder = join(ROOT, 'packages', name, 'dist');
  rmSync(folder, { recursive: true, force: true });
  await buildPackage(name, folder);
}
