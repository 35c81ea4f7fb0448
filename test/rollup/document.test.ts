/** The table of docs/rollups.md names every family, its prefixes, its chains and existing tests. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { KNOWN_CHAINS } from '../../src/rollup/known-chains.ts';
import { FAMILY_ESTIMATES, findWireNames } from '../../src/rollup/wire-names.ts';

const TESTNET = /Sepolia|Hoodi|Holesky|Testnet|Cardona/;

const DOCUMENT = readFileSync(join(ROOT, 'docs/rollups.md'), 'utf8');

/** Cells of the first table, row by row, without its header. */
function readTable(): string[][] {
  const [table = ''] = /(^\|.*\n)+/m.exec(DOCUMENT) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
}

test('the first table lists the families in order, with their prefixes and chains', async () => {
  const families = await loadFamilies();
  const rows = readTable();
  assert.deepEqual(
    rows.map(([family, prefixes]) => [family, prefixes]),
    families.map(({ name }) => [
      `\`${name}\``,
      findWireNames(name)
        .prefixes.map((prefix) => `\`${prefix}\``)
        .join(', '),
    ]),
  );
  for (const [family = '', , chains] of rows) {
    const known = KNOWN_CHAINS[family.slice(1, -1)] ?? [];
    const names = known.map(({ name }) => name).filter((name) => !TESTNET.test(name));
    assert.equal(chains, names.join(', '), family);
  }
});

test('the document names every forwarded method', () => {
  for (const name of FAMILY_ESTIMATES) assert.ok(DOCUMENT.includes(`\`${name}\``), name);
});

test('each test that the table names exists', () => {
  for (const row of readTable()) {
    const names = [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    assert.ok(names.length > 0, row[0]);
    for (const name of names) assert.ok(existsSync(join(ROOT, `test/rollup/${name}.test.ts`)), name);
  }
});
