/** `node repeated-file.js FILE ROUNDS`: registers the tests of a file several times in this process, which costs one start for all rounds. */
import { pathToFileURL } from 'node:url';

const [file = '', rounds = '1'] = process.argv.slice(2);
// A query makes another module of the same file; the modules that it imports are evaluated once.
for (let round = 1; round <= Number(rounds); round++)
  await import(`${pathToFileURL(file).href}?round=${round}`);
