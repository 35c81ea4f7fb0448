import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROGRAMS } from '../../scripts/named-programs.ts';
import { ROOT } from '../../scripts/program-files.ts';

const RUN = join(ROOT, 'build/scripts/run.js');

/** Files of the folder that other benches start. */
const PARTS = ['child', 'instant-gateway', 'load', 'upstream-service'];

test('every name has a source, and every bench has a name', () => {
  const programs = Object.values(PROGRAMS).flatMap((names) => Object.values(names));
  for (const program of programs) assert.ok(existsSync(join(ROOT, `${program}.ts`)), program);
  const benches = readdirSync(join(ROOT, 'bench')).flatMap((file) => /^[\w-]+(?=\.ts$)/.exec(file) ?? []);
  const named = programs
    .filter((path) => path.startsWith('bench/'))
    .map((path) => path.slice('bench/'.length));
  assert.deepEqual([...named, ...PARTS].toSorted(), benches.toSorted());
});

test('an unknown name prints the list of names, and options reach the program', () => {
  const unknown = spawnSync(process.execPath, [RUN, 'bench', 'proxi'], { encoding: 'utf8' });
  assert.equal(unknown.status, 1);
  assert.match(
    unknown.stderr,
    /^npm run bench -- NAME \[OPTIONS\]: there is no "proxi"; NAME is one of .*\bproxy\b/,
  );
  const listed = spawnSync(process.execPath, [RUN, 'check', 'flaky', '--list'], { encoding: 'utf8' });
  assert.equal(listed.status, 0);
  assert.match(listed.stdout, /\.test/);
});
