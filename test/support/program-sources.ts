import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, SOURCE_FOLDERS } from '../../scripts/program-files.ts';

/** AssemblyScript, which no TypeScript imports, and what `npm run generate -- packages` writes. */
const NO_SOURCE = /\/assembly\/|interpreter\/core\/|^packages\/\w+\/dist\//;

export type SourceFile = { readonly name: string; readonly text: string };

/** Reads all files of a folder of the repository; names are relative to the root. @param ending of their names */
export function readFilesBelow(folder: string, ending: string): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

/** TypeScript sources of the program and its packages, without AssemblyScript. */
export const PROGRAM_SOURCES: readonly SourceFile[] = SOURCE_FOLDERS.flatMap((folder) =>
  readFilesBelow(folder, '.ts'),
).filter(({ name }) => !NO_SOURCE.test(name));
