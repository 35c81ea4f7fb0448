/** ARCHITECTURE.md lists exactly the folders, decisions and references that exist. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { traceWays } from '../support/request-trace.ts';

const TEXT = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

const listFolders = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Rooms are the folders of src, and the packages, with a TypeScript project. */
const ROOMS = ['src', 'src/chains', 'packages'].flatMap((parent) =>
  listFolders(parent)
    .filter((name) => existsSync(join(ROOT, parent, name, 'tsconfig.json')))
    .map((name) => nameRoom(join(parent, name))),
);

/** Returns the name of a room in the table: without src. @param path from the root */
function nameRoom(path: string): string {
  return path.replace(/^src\//, '');
}

test('the index lists every decision once with its title, and every link leads to a decision', () => {
  const index = readFileSync(join(ROOT, 'docs/adr/README.md'), 'utf8');
  const files = readdirSync(join(ROOT, 'docs/adr')).filter((name) => name !== 'README.md');
  const links = [...index.matchAll(/^- (\d+)\. \[([^\]]+)\]\((\d{4}-[^)]*\.md)\)/gm)];
  assert.deepEqual(links.map(([, , , file]) => file).toSorted(), files.toSorted());
  for (const [, number, title, file] of links) {
    const text = readFileSync(join(ROOT, 'docs/adr', String(file)), 'utf8');
    assert.equal(text.slice(0, text.indexOf('\n')), `# ${number}. ${title}`);
  }
  const replaced = index.slice(index.indexOf('## Replaced'));
  for (const [line, , , file] of links) {
    const [top] = readFileSync(join(ROOT, 'docs/adr', String(file)), 'utf8').split('\n## ');
    assert.equal(replaced.includes(line), /superseded by/i.test(String(top)), file);
  }
});

test('the tree lists every folder of sources and tests', () => {
  const tree = TEXT.slice(TEXT.indexOf('```'), TEXT.indexOf('## Import rules'));
  for (const room of ROOMS) assert.match(tree, new RegExp(`^ +${basename(room)}/`, 'm'));
  const sources = new Set([...ROOMS, 'packages']);
  for (const folder of listFolders('test')) {
    if (!sources.has(folder)) assert.ok(tree.includes(` ${folder}/`), `test/${folder}`);
  }
});

test('the import table matches the references of the projects', () => {
  const rows = new Map(
    [...TEXT.matchAll(/^([a-z/-]+) +-> (.*)$/gm)].map(([, room, references]) => [
      room,
      String(references)
        .replace(/\(.*\)/, '')
        .split(' ')
        .filter(Boolean),
    ]),
  );
  for (const room of ROOMS) {
    const folder = room.startsWith('packages/') ? room : join('src', room);
    const project = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.json'), 'utf8'));
    const references = ((project.references ?? []) as { path: string }[]).map(({ path }) =>
      nameRoom(join(folder, path)),
    );
    assert.deepEqual(rows.get(room)?.toSorted(), references.toSorted(), room);
  }
  assert.deepEqual([...rows.keys()].toSorted(), [...ROOMS, 'admin/page'].toSorted());
});

test('a traced request runs the files of the drawing', async () => {
  const [, way = ''] = TEXT.split('## The life of a request');
  const drawing = way.slice(way.indexOf('```'), way.lastIndexOf('```'));
  const [common = '', embedded = '', nodes = '', end = ''] = drawing.split(/^ {2}(?:on|and) .*$/m);
  const readFiles = (part: string): string[] =>
    [...part.matchAll(/^ +([a-z][\w-]*(?:\/[\w-]+)+) /gm)].map(([, file]) => `${file}.js`);
  const traces = await traceWays(['embedded', 'nodes']);
  for (const [way, own] of [
    ['embedded', embedded],
    ['nodes', nodes],
  ] as const) {
    const files = [common, own, end].flatMap(readFiles);
    assert.ok(files.length >= 15, `${way}: ${files.length} files`);
    assert.deepEqual(
      files.filter((file) => traces.get(way)?.files.has(file) !== true),
      [],
      way,
    );
  }
});
