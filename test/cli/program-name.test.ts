import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readNpxPackage } from '../../src/cli/program-name.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

test('commands that the program prints name the package that npx was started with', (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const read = (content: string): string | undefined => {
    const file = join(folder.path, 'package.json');
    writeFileSync(file, content);
    return readNpxPackage(pathToFileURL(file));
  };
  assert.equal(read('{"_npx":{"packages":["./portcullis-0.2.0.tgz"]}}'), './portcullis-0.2.0.tgz');
  assert.equal(read('{"dependencies":{"portcullis":"0.2.0"}}'), undefined);
  assert.equal(read('no JSON'), undefined);
  assert.equal(readNpxPackage(pathToFileURL(join(folder.path, 'absent.json'))), undefined);
});
