import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Stage } from './dockerfile.ts';
import { buildImage, STAGES } from './image.ts';
import { runImage } from './image-run.ts';

const runtime = STAGES.at(-1) as Stage;
const textsOf = (stage: Stage, name: string): string[] =>
  stage.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);

test('the last stage runs as an unprivileged user, stores data in a volume, and installs nothing', () => {
  assert.deepEqual(textsOf(runtime, 'USER'), ['node']);
  assert.deepEqual(textsOf(runtime, 'VOLUME'), ['/data']);
  assert.deepEqual(textsOf(runtime, 'STOPSIGNAL'), ['SIGTERM']);
  assert.ok(textsOf(runtime, 'RUN').every((step) => !/npm (ci|install)|apt-get/.test(step)));
  const dependencies = STAGES.find(({ name }) => name === 'dependencies') as Stage;
  assert.ok(textsOf(dependencies, 'RUN').some((step) => /^npm ci --omit=dev/.test(step)));
  for (const { base } of STAGES) assert.match(base, /^node:20-\w+-slim$/);
});

test('the build steps produce a service that starts, is healthy, answers, and exits with 0', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'portcullis-image-'));
  t.after(() => rmSync(root, { recursive: true }));
  const app = buildImage(root, 'linked');
  const data = join(root, 'data');
  mkdirSync(data);
  const { health, answer, exitCode } = await runImage(app, data);
  assert.deepEqual(health, [0, 1]);
  assert.match(answer, /"(result|error)"/);
  assert.equal(exitCode, 0);
});
