/** The table of docs/rollups.md names every family, its prefix, its chains and tests that are there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { KNOWN_CHAINS } from '../../src/rollup/known-chains.ts';

const TESTNET = /Sepolia|Hoodi|Holesky|Testnet|Cardona/;

/** The cells of the first table, row by row, without its head. */
function readTable(): string[][] {
  const text = readFileSync(join(ROOT, 'docs/rollups.md'), 'utf8');
  const [table = ''] = /(^\|.*\n)+/m.exec(text) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
}

test('the first table is that of the families, in their order', async () => {
  const families = await loadFamilies();
  const rows = readTable();
  assert.deepEqual(
    rows.map(([family, prefix]) => [family, prefix]),
    families.map(({ name, prefix }) => [`\`${name}\``, `\`${prefix}\``]),
  );
  for (const [family = '', , chains] of rows) {
    const known = KNOWN_CHAINS[family.slice(1, -1)] ?? [];
    const names = known.map(({ name }) => name).filter((name) => !TESTNET.test(name));
    assert.equal(chains, names.join(', '), family);
  }
});

test('each test that the table names is there', () => {
  for (const row of readTable()) {
    const names = [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    assert.ok(names.length > 0, row[0]);
    for (const name of names) assert.ok(existsSync(join(ROOT, `test/rollup/${name}.test.ts`)), name);
  }
});
