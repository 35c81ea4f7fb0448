/** The live operations of the clients among the dependencies, and their table in the documentation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../scripts/program-files.ts';
import { ANVIL_SKIP } from '../../support/anvil.ts';
import { findLiveMatrix, LIVE_CLIENTS } from './live-matrix.ts';
import { LIVE_OPERATIONS } from './live-operations.ts';

const PAGE = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');

test('installed clients watch blocks, use filters and send, as documented', {
  skip: ANVIL_SKIP,
}, async () => {
  const rows = await findLiveMatrix(
    LIVE_CLIENTS.filter(({ isAtHand }) => isAtHand === true),
    () => {},
  );
  assert.deepEqual(
    rows.map(({ name, faults }) => [name, faults]),
    rows.map(({ name }) => [name, []]),
  );
  const names = LIVE_CLIENTS.map(({ name }) => name);
  assert.ok(PAGE.includes(`| operation | ${names.join(' | ')} |\n`));
  for (const operation of LIVE_OPERATIONS) {
    const [, line = ''] = PAGE.match(new RegExp(`^\\| ${operation} \\| (.*) \\|$`, 'm')) ?? [];
    const documented = line.split(' | ');
    for (const { name, done } of rows)
      assert.equal(
        documented[names.indexOf(name)],
        done.has(operation) ? 'yes' : '-',
        `${name} ${operation}`,
      );
  }
});
