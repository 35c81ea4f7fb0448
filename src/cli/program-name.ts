import { readFileSync } from 'node:fs';

/** Manifest of the folder in which npx installs packages, as seen from `node_modules/portcullis/build/program/cli`. */
const NPX_MANIFEST = new URL('../../../../../package.json', import.meta.url);

/** Returns the beginning of a command line in the form in which this program was started. */
export function findProgram(): string {
  switch (process.env['npm_lifecycle_event']) {
    case 'start':
      return 'npm start --';
    case 'npx':
      return `npx ${readNpxPackage(NPX_MANIFEST) ?? 'portcullis'}`;
    default:
      return 'portcullis';
  }
}

/**
 * Returns the package that `npx` was started with, such as `./portcullis-0.2.0.tgz`: another name may belong to another package of the registry.
 * @returns undefined if npx found the program in a project
 */
export function readNpxPackage(manifest: URL): string | undefined {
  try {
    const { _npx: npx } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      readonly _npx?: { readonly packages?: readonly unknown[] };
    };
    const [name] = npx?.packages ?? [];
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
