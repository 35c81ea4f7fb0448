/** ARCHITECTURE.md lists exactly the folders, decisions and references that exist. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';

const TEXT = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

const listFolders = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test('every decision is in the list, once, and every link leads to one', () => {
  const files = readdirSync(join(ROOT, 'docs/adr')).sort();
  const links = [...TEXT.matchAll(/\[(\d+)\]\(docs\/adr\/(\d{4}-[^)]*\.md)\)/g)];
  assert.deepEqual(links.map(([, , file]) => file).sort(), files);
  for (const [, number, file] of links) assert.equal(Number(file?.slice(0, 4)), Number(number));
});

test('every folder of sources and tests is in the tree', () => {
  const tree = TEXT.slice(TEXT.indexOf('```'), TEXT.indexOf('## Import rules'));
  for (const folder of listFolders('src')) assert.match(tree, new RegExp(`^  ${folder}/`, 'm'));
  const sources = new Set(listFolders('src'));
  for (const folder of listFolders('test')) {
    if (!sources.has(folder)) assert.ok(tree.includes(` ${folder}/`), `test/${folder}`);
  }
});

test('the import table is what the projects reference', () => {
  const rows = new Map(
    [...TEXT.matchAll(/^([a-z/]+) +-> (.*)$/gm)].flatMap((row) =>
      // Two folders may share a line.
      `${row[0]}`.split(/ {3,}(?=[a-z/]+ +->)/).map((part): [string, string] => {
        const [folder = '', references = ''] = part.split('->');
        return [folder.trim(), references.replace(/\(.*\)/, '').trim()];
      }),
    ),
  );
  for (const folder of [...listFolders('src'), 'admin/page']) {
    const project = JSON.parse(readFileSync(join(ROOT, 'src', folder, 'tsconfig.json'), 'utf8'));
    const references = ((project.references ?? []) as { path: string }[]).map(({ path }) =>
      path === './page' || path === 'page' ? 'admin/page' : path.replace(/^(\.\.\/)+/, ''),
    );
    const row = rows.get(folder);
    assert.ok(row !== undefined, `${folder} has no row`);
    if (row === 'everything') {
      const missing = listFolders('src').filter((one) => one !== folder && !references.includes(one));
      // Projects that they reference compile too.
      assert.deepEqual(missing, ['evm']);
    } else if (folder !== 'admin/page') {
      assert.deepEqual(row.split(' ').filter(Boolean).sort(), references.sort(), folder);
    }
  }
});
