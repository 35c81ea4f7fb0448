import { join, resolve } from 'node:path';

/** Path of the repository, relative to build/scripts. */
export const ROOT: string = resolve(import.meta.dirname, '../..');
/** Folders with the sources of the program and of the packages that it consists of. */
export const SOURCE_FOLDERS: readonly string[] = ['src', 'packages'];
/** Folder into which `bundle.ts` writes the program. */
export const PROGRAM: string = join(ROOT, 'build/program');
/** Main module of the program. */
export const MAIN: string = join(PROGRAM, 'cli/main.js');
/** Folder of the declarations of the library, with the paths of their sources. */
export const LIBRARY_TYPES: string = join(PROGRAM, 'types');
/** File with the names of the packages that the bundle contains, a JSON array. */
export const BUNDLED_FILE: string = join(PROGRAM, 'bundled-packages.json');
