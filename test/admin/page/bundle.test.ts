/** The page as the admin server sends it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PAGE_FOLDER } from '../../../scripts/bundle-page.ts';
import { ROOT } from '../../../scripts/program-files.ts';
import { createPageHtml } from '../../../src/admin/page/document.ts';
import { KEYS_CSS } from '../../../src/admin/page/keys/keys-style.ts';
import { PAGE_CSS } from '../../../src/admin/page/stylesheet.ts';

/** Maximum size of the whole page, compressed with gzip: it is loaded through tunnels too. */
const MAX_BYTES = 120_000;

test('the whole page has at most 120 kB when compressed', () => {
  const modules = readdirSync(join(ROOT, PAGE_FOLDER)).map((name) =>
    readFileSync(join(ROOT, PAGE_FOLDER, name)),
  );
  assert.ok(modules.length > 0);
  const sizes = [
    ...modules,
    Buffer.from(createPageHtml(true)),
    Buffer.from(PAGE_CSS),
    Buffer.from(KEYS_CSS),
  ].map((file) => gzipSync(file).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= MAX_BYTES, `${total} bytes`);
});
