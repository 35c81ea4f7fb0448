/**
 * Runs a program of the repository by its name: `npm run bench -- proxy --rows logs`, `npm run check -- faults`,
 * `npm run generate -- keccak`. The texts after the name are the program's own options. Without a name it lists the names.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAMS } from './named-programs.ts';
import { ROOT } from './program-files.ts';

const [kind = '', name = ''] = process.argv.splice(2, 2);
const names = PROGRAMS[kind] ?? {};
const program = names[name];
if (program === undefined) {
  const list = Object.keys(names).join(', ');
  const unknown = name === '' ? '' : `there is no "${name}"; `;
  process.stderr.write(`npm run ${kind} -- NAME [OPTIONS]: ${unknown}NAME is one of ${list}\n`);
  process.exitCode = 1;
} else {
  const file = join(ROOT, 'build', `${program}.js`);
  // The program finds its own file and options where node puts them for a direct start.
  process.argv[1] = file;
  await import(pathToFileURL(file).href);
}
