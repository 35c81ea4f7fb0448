import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EMBEDDED_MODULES, generateModule } from '../../scripts/core/embedded-modules.ts';
import { ROOT } from '../../scripts/program-files.ts';
import { PROGRAM_SOURCES } from '../support/program-sources.ts';

for (const module of EMBEDDED_MODULES) {
  test(`${module.file} equals the output of ${module.source}`, async () => {
    const committed = readFileSync(join(ROOT, module.file), 'utf8');
    assert.equal(committed, await generateModule(module), 'run npm run generate -- modules');
  });
}

test('every file that contains a module has a row', () => {
  const files = PROGRAM_SOURCES.filter(({ text }) => text.includes('_MODULE: string = `')).map(
    ({ name }) => name,
  );
  assert.deepEqual(files.toSorted(), EMBEDDED_MODULES.map(({ file }) => file).toSorted());
});
