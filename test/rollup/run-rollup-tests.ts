/** Runs all tests of rollups. The last line states the families, where their fields come from, and the tests passed. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FAMILY_NAMES } from '../../src/rollup/family-table.ts';

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((file) => file.endsWith('.test.js'));
const { stdout, status } = spawnSync(
  process.execPath,
  ['--test', '--test-reporter=tap', '--test-timeout=300000', ...files.map((file) => join(folder, file))],
  { encoding: 'utf8', maxBuffer: 64 << 20 },
);

const count = (pattern: RegExp): number => stdout.match(pattern)?.length ?? 0;
const fieldsOf = (origin: string): number => count(new RegExp(`^ +ok \\d+ - \\S+ is ${origin}$`, 'gm'));
const total = (name: string): string => new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 'unknown';

for (const line of stdout.match(/^ *not ok .*$/gm) ?? []) console.log(line.trim());
const origins = ['native', 'synthesised', 'fixed', 'unknowable'].map(
  (origin) => `${fieldsOf(origin)} ${origin}`,
);
console.log(
  `${FAMILY_NAMES.length} families; fields: ${origins.join(', ')}; tests: ${total('pass')} of ${total('tests')} passed`,
);
process.exitCode = status ?? 1;
