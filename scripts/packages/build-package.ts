import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../program-files.ts';

/** Packages that are published, each a folder of `packages`. */
export const PACKAGES = ['ethereum', 'evm', 'proofs'] as const;
export type PackageName = (typeof PACKAGES)[number];

const COMPILED = join(ROOT, 'build/packages');
const CORE = join(ROOT, 'build/src/engine/core.wasm');
const IMPORT = /\bfrom '(\.[^']+)'/g;

/**
 * Writes what a package publishes: one module, and the declarations that its own ones need. The module contains the parts of other packages
 * that it uses, so that each can be installed alone and exports nothing but its entry point.
 * @param folder the package's `dist`
 */
export async function buildPackage(name: PackageName, folder: string): Promise<void> {
  await build({
    entryPoints: [join(ROOT, 'packages', name, 'index.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['@noble/*', 'mcl-wasm/*'],
    define: { CORE_BASE64: JSON.stringify(readFileSync(CORE).toString('base64')) },
    legalComments: 'none',
    logLevel: 'warning',
  });
  copyDeclarations(join(COMPILED, name, 'index.d.ts'), COMPILED, folder);
}

/** Copies a declaration file and all declarations that it imports, with their paths relative to `base`. */
export function copyDeclarations(entry: string, base: string, folder: string): void {
  for (const path of listDeclarations(entry)) {
    const target = join(folder, relative(base, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''));
  }
}

/** Lists a declaration file and all that it imports. */
function listDeclarations(entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const path of found)
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(IMPORT))
      found.add(join(dirname(path), target.replace(/\.[jt]s$/, '.d.ts')));
  return [...found];
}
