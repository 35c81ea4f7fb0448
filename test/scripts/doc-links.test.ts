/** Links in the documents: each leads to a file of the repository, and to a heading in it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';

const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'build', '.git', 'vectors']);

function listDocuments(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listDocuments(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Returns the text of a document without its code. */
function readProse(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/^```.*?^```/gms, '');
}

/** Anchors of a document, as GitHub names them, and explicit ones. */
function listAnchors(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, id = ''] of readProse(path).matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
  for (const [, heading = ''] of readProse(path).matchAll(/^#{1,6} (.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the reason why a link of a document leads nowhere; undefined if it leads somewhere. */
function findFault(document: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : join(dirname(document), decodeURI(path));
  if (!existsSync(target)) return 'no such file';
  if (anchor === undefined || !statSync(target).isFile() || !target.endsWith('.md')) return undefined;
  return listAnchors(target).has(anchor) ? undefined : 'no such heading';
}

test('every link of a document leads to a file, and to a heading of it', () => {
  const faults: string[] = [];
  let links = 0;
  for (const document of listDocuments(ROOT)) {
    for (const [, link = ''] of readProse(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      links++;
      const fault = findFault(document, link);
      if (fault !== undefined) faults.push(`${relative(ROOT, document)}: ${link}: ${fault}`);
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(links > 100, `${links} links`);
});
