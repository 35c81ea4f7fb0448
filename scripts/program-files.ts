import { join, resolve } from 'node:path';

/** The repository, from build/scripts. */
export const ROOT: string = resolve(import.meta.dirname, '../..');
/** Where `bundle.ts` puts the program. */
export const PROGRAM: string = join(ROOT, 'build/program');
/** The file that is run. */
export const MAIN: string = join(PROGRAM, 'cli/main.js');
