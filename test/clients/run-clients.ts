/**
 * Runs every client with every read operation, on embedded networks and through nodes, over HTTP and WebSocket, and with the live
 * operations on a chain that grows. Writes the tables of docs/clients.md with `--write`. Exits with 1 when an operation fails, and where a
 * client cannot run here and PORTCULLIS_REQUIRE_ALL is set. `ONLY=text` runs the clients with the text in their name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/program-files.ts';
import { findLiveMatrix, LIVE_CLIENTS, renderLiveMatrix } from './live/live-matrix.ts';
import { CLIENTS, findMatrix, renderMatrix } from './matrix.ts';

const PAGE = join(ROOT, 'docs/clients.md');
const ONLY = process.env['ONLY'] ?? '';

let faults = 0;
type AnyRow = {
  readonly name: string;
  readonly absence?: string;
  readonly done: ReadonlySet<string>;
  readonly faults: readonly string[];
};
const report = ({ name, absence, done, faults: found }: AnyRow): void => {
  faults += found.length;
  console.log(absence === undefined ? `${name}: ${done.size} operations` : `${name}: NOT RUN, ${absence}`);
  for (const fault of found) console.log(`  ${fault}`);
};
const isChosen = ({ name }: { readonly name: string }): boolean => name.includes(ONLY);
const reads = await findMatrix(CLIENTS.filter(isChosen), report);
const live = await findLiveMatrix(LIVE_CLIENTS.filter(isChosen), report);
const tables = { clients: renderMatrix(reads), live: renderLiveMatrix(live) };
const rows: readonly AnyRow[] = [...reads, ...live];
const absent = rows.filter(({ absence }) => absence !== undefined);
if (process.argv.includes('--write')) {
  if (absent.length > 0 || ONLY !== '')
    throw new Error('the tables are written only where every client runs');
  let text = readFileSync(PAGE, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const mark = `<!-- ${name}: written by npm run check -- clients --write -->`;
    const place = new RegExp(`${mark}\\n[\\s\\S]*?\\n<!-- end -->`);
    text = text.replace(place, () => `${mark}\n\n${table}\n\n<!-- end -->`);
  }
  writeFileSync(PAGE, text);
}
for (const table of Object.values(tables)) console.log(`\n${table}`);
console.log(`\nclients ${rows.length - absent.length}, not run ${absent.length}, faults ${faults}`);
const isRequired = process.env['PORTCULLIS_REQUIRE_ALL'] === '1';
process.exitCode = faults > 0 || (isRequired && absent.length > 0) ? 1 : 0;
