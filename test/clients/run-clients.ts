/**
 * Every client with every read operation, on embedded networks and through nodes, over HTTP and WebSocket. Writes the table of
 * docs/clients.md with `--write`. Exits with 1 when an operation fails, and where a client cannot be run here and
 * PORTCULLIS_REQUIRE_ALL is set. `ONLY=text` runs the clients whose name holds the text.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/program-files.ts';
import { CLIENTS, findMatrix, renderMatrix } from './matrix.ts';

const PAGE = join(ROOT, 'docs/clients.md');
const TABLE = /(<!-- clients: written by npm run test:clients -- --write -->\n)[\s\S]*?(\n<!-- end -->)/;
const ONLY = process.env['ONLY'] ?? '';

let faults = 0;
const rows = await findMatrix(
  CLIENTS.filter(({ name }) => name.includes(ONLY)),
  ({ name, absence, done, faults: found }) => {
    faults += found.length;
    console.log(absence === undefined ? `${name}: ${done.size} operations` : `${name}: NOT RUN, ${absence}`);
    for (const fault of found) console.log(`  ${fault}`);
  },
);
const absent = rows.filter(({ absence }) => absence !== undefined);
if (process.argv.includes('--write')) {
  if (absent.length > 0) throw new Error('the table is written only where every client runs');
  const text = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    text.replace(TABLE, (_, begin: string, end: string) => `${begin}\n${renderMatrix(rows)}\n${end}`),
  );
}
console.log(`\n${renderMatrix(rows)}\n`);
console.log(`clients ${rows.length - absent.length}, not run ${absent.length}, faults ${faults}`);
const isRequired = process.env['PORTCULLIS_REQUIRE_ALL'] === '1';
process.exitCode = faults > 0 || (isRequired && absent.length > 0) ? 1 : 0;
