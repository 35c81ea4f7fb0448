/** Short form of `npm run check -- clients`: the clients among the dependencies, and the table of the documentation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { CLIENTS, findMatrix } from './matrix.ts';
import { OPERATIONS } from './operations.ts';

const PAGE = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');

test('every read operation of the installed clients works on both kinds of network, as documented', async () => {
  const rows = await findMatrix(
    CLIENTS.filter(({ isAtHand }) => isAtHand === true),
    () => {},
  );
  assert.deepEqual(
    rows.map(({ name, faults }) => [name, faults]),
    rows.map(({ name }) => [name, []]),
  );
  const [, head = ''] = PAGE.match(/^\| operation \| (.*) \|$/m) ?? [];
  assert.deepEqual(
    head.split(' | '),
    CLIENTS.map(({ name }) => name),
  );
  for (const operation of OPERATIONS) {
    const [, line = ''] = PAGE.match(new RegExp(`^\\| ${operation} \\| (.*) \\|$`, 'm')) ?? [];
    const documented = line.split(' | ');
    for (const { name, done } of rows) {
      const at = CLIENTS.findIndex((client) => client.name === name);
      assert.equal(documented[at], done.has(operation) ? 'yes' : '-', `${name} ${operation}`);
    }
  }
});
