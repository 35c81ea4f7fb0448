/** The comparison with other programs: each cell has a source, and the README repeats rows of docs/comparison.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';

const HEADER = '| | Portcullis |';

/** Returns the rows of the table that compares programs, each as its cells. */
function readComparison(path: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const header = lines.findIndex((line) => line.startsWith(HEADER));
  assert.notEqual(header, -1, `${path} has no line that begins with ${HEADER}`);
  const body = lines.slice(header + 2);
  return body.slice(0, body.indexOf('')).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const full = readComparison('docs/comparison.md');
const short = readComparison('README.md');

test('each cell about another program links to its source, or has ? or –', () => {
  for (const [name, own, ...others] of [...full, ...short]) {
    assert.match(own ?? '', /^\[[^\]]+\]\([a-z/]+\.md[^)]*\)$/, `${name}: ${own}`);
    assert.equal(others.length, 6, name);
    for (const cell of others)
      assert.match(
        cell,
        /^(\?|–|\[[^\]]+\]\(https:\/\/[^)\s]+\)(, \[[^\]]+\]\(https:\/\/[^)\s]+\))*)$/,
        name,
      );
  }
});

test('the rows in the README are rows of docs/comparison.md', () => {
  assert.ok(short.length >= 6, `${short.length} rows`);
  const rows = new Map(full.map(([name, ...cells]) => [name, cells]));
  for (const [name, ...cells] of short) {
    assert.deepEqual(
      cells.map((cell) => cell.replace('](docs/', '](')),
      rows.get(name),
      name,
    );
  }
});
