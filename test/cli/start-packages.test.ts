/** Start-up is mostly the loading of modules: what is not needed until later must not come along. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const STATIC_IMPORT = /^(?:import|export) (?:[^'"]* from )?'([^']+)';$/gm;
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+/;

/** The packages that are loaded with a module of the build, `import()` left out. */
function listPackages(entry: URL): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const open = [entry];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    for (const [, target = ''] of readFileSync(url, 'utf8').matchAll(STATIC_IMPORT)) {
      if (target.startsWith('.')) open.push(new URL(target, url));
      else if (!target.startsWith('node:')) packages.add(PACKAGE_NAME.exec(target)?.[0] ?? target);
    }
  }
  return [...packages].sort();
}

function findModule(path: string): URL {
  return new URL(`../../src/${path}`, import.meta.url);
}

test('the command line alone loads no package', () => {
  assert.deepEqual(listPackages(findModule('cli/main.js')), []);
});

test('a start loads what every network needs', () => {
  assert.deepEqual(listPackages(findModule('cli/serve.js')), ['#zod', '@noble/hashes', 'lmdb', 'pino']);
});

test('zod comes with one language of the 64 that it has', () => {
  const folder = new URL('../../src/vendor/zod/v4/locales/', import.meta.url);
  assert.deepEqual(readdirSync(folder).sort(), ['en.js', 'index.js']);
});

test('what is loaded on demand brings its packages', () => {
  assert.deepEqual(listPackages(findModule('config/load-config.js')), ['#zod', 'yaml']);
  assert.deepEqual(listPackages(findModule('cache/redis-cache.js')), ['iovalkey']);
  assert.ok(listPackages(findModule('upstream/open-upstream-chain.js')).includes('undici'));
});
