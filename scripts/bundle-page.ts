/** Bundles the modules of the status page, with the parts of packages that they use, into the one file that the admin server serves. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './program-files.ts';

/** Folder of the bundled page, relative to the repository. `src/admin/routes.ts` reads the folder, which is beside its compiled module. */
export const PAGE_FOLDER = 'build/src/admin/page-bundle';

/** @returns paths of the bundled sources, including sources of packages, whose licences apply to the bundle */
export async function bundlePage(): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'src/admin/page/main.ts')],
    outdir: join(ROOT, PAGE_FOLDER),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    // The licences demand that their comments stay in the file.
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}
