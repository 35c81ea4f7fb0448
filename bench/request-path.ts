/**
 * Counts the program's functions, and their files, that one request runs, and compares them with the counts committed here: the bench fails when
 * a way has grown by a tenth. `--list` prints the functions.
 */
import { traceWays, type Way } from '../test/support/request-trace.ts';
import { concludeWith, formatColumns } from './support/figures.ts';

/** Files and functions of each way, as of the last change that was meant to make one longer or shorter. */
const COMMITTED: Readonly<Record<Way, readonly [files: number, functions: number]>> = {
  embedded: [67, 173],
  overridden: [96, 283],
  nodes: [136, 467],
  receipts: [136, 521],
  cached: [81, 227],
  newHeads: [139, 596],
};
/** Growth at which the bench fails. */
const GROWTH = 1.1;

const rows = [['way', 'files', 'committed', 'functions', 'committed']];
const growths: { readonly way: Way; readonly growth: number }[] = [];
for (const [way, { files, functions }] of await traceWays()) {
  const [committedFiles, committedFunctions] = COMMITTED[way];
  rows.push([way, `${files.size}`, `${committedFiles}`, `${functions.length}`, `${committedFunctions}`]);
  growths.push({
    way,
    growth: Math.max(files.size / committedFiles, functions.length / committedFunctions),
  });
  if (process.argv.includes('--list')) console.log(functions.toSorted().join('\n'));
}
console.log(formatColumns(rows));
const worst = growths.reduce((most, one) => (one.growth > most.growth ? one : most));
concludeWith([{ name: 'growth', value: worst.growth, below: GROWTH, of: worst.way }]);
