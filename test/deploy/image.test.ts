import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readPairs, type Stage } from './dockerfile.ts';
import { buildImage, STAGES } from './image.ts';
import { listImageFiles, sumMegabytes } from './image-files.ts';
import { CAN_CHANGE_USER, runImage } from './image-run.ts';

/** Maximum size of the layers above the base image, megabytes uncompressed. */
const MAX_MEGABYTES = 30;

const runtime = STAGES.at(-1) as Stage;
const textsOf = (stage: Stage, name: string): string[] =>
  stage.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);

test('the last stage runs as an unprivileged user, stores data in a volume, and installs nothing', () => {
  // The user is a number, because Kubernetes cannot check whether the user of a name is root.
  assert.match(textsOf(runtime, 'USER').join(), /^[1-9]\d*:[1-9]\d*$/);
  assert.deepEqual(textsOf(runtime, 'VOLUME'), ['/data']);
  assert.deepEqual(textsOf(runtime, 'STOPSIGNAL'), ['SIGTERM']);
  assert.deepEqual(textsOf(runtime, 'RUN'), [], 'the base image has no shell');
  const dependencies = STAGES.find(({ name }) => name === 'dependencies') as Stage;
  assert.ok(textsOf(dependencies, 'RUN').some((step) => /^npm ci --omit=dev/.test(step)));
});

test('all stages have the same version of node and of Debian', () => {
  const bases = STAGES.map(({ base }) => base);
  const [, version, debian] =
    /^gcr\.io\/distroless\/nodejs(\d+)-debian(\d+)$/.exec(bases.pop() as string) ?? [];
  const names: Record<string, string> = { '12': 'bookworm', '13': 'trixie' };
  for (const base of bases) assert.equal(base, `node:${version}-${names[debian as string]}-slim`);
});

test('the labels have the names of the OCI specification, and the version of the package', () => {
  const labels = readPairs(runtime, 'LABEL');
  const names = ['title', 'description', 'licenses', 'version', 'revision', 'base.name'];
  assert.deepEqual(
    Object.keys(labels),
    names.map((name) => `org.opencontainers.image.${name}`),
  );
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(labels['org.opencontainers.image.version'], version);
  assert.equal(labels['org.opencontainers.image.licenses'], license);
  assert.equal(labels['org.opencontainers.image.base.name'], runtime.base);
});

test('the build arguments that docs/deployment.md names are those of the Dockerfile', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const text = readFileSync('docs/deployment.md', 'utf8');
  const names = [...text.matchAll(/--build-arg (\w+)=/g)].map(([, name]) => name);
  assert.ok(names.length > 1);
  for (const name of names) assert.match(dockerfile, new RegExp(`^ARG ${name}=`, 'm'));
});

/** Lists the packages of package.json, or their files, that modules in a folder load at the start or later. */
function listLoadedPackages(folder: string): string[] {
  const packages = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies);
  const loads =
    /(?:\bfrom ?|\bimport\(|\brequire\w*\(|createRequire\(import\.meta\.url\)\()["']([a-z@][^"':]*)["']/g;
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(loads)].map(([, name]) => name as string));
  return [...new Set(names)].filter((name) =>
    packages.some((known) => name === known || name.startsWith(`${known}/`)),
  );
}

describe('an image from the build steps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-image-'));
  let root = '';
  before(() => {
    root = buildImage(folder, 'linked');
  });
  after(() => rmSync(folder, { recursive: true }));

  test('starts as its user, is healthy, answers, exits with 0, and changes no file of the program', async (t) => {
    if (!CAN_CHANGE_USER) t.diagnostic('only root can start a process as the user of the image');
    const before = listImageFiles(root, 'app');
    const { health, answer, exitCode } = await runImage(root);
    assert.deepEqual(health, [0, 1]);
    assert.match(answer, /"(result|error)"/);
    assert.equal(exitCode, 0);
    assert.deepEqual(listImageFiles(root, 'app'), before);
    assert.ok(listImageFiles(root, 'data').length > 0, 'the store is in the volume');
  });

  test(`adds at most ${MAX_MEGABYTES} MB to its base`, (t) => {
    const files = listImageFiles(root, 'app');
    const size = sumMegabytes(files);
    const modules = sumMegabytes(files.filter(({ path }) => path.startsWith('/app/node_modules/')));
    t.diagnostic(`${size.toFixed(1)} MB in ${files.length} files, ${modules.toFixed(1)} MB of them packages`);
    assert.ok(size < MAX_MEGABYTES, `${size} MB`);
    assert.ok(size > modules + 3, 'the program is there');
  });

  test('has all packages that the program loads, with their files', () => {
    const names = listLoadedPackages(join(root, 'app/build/program/cli'));
    for (const name of ['lmdb', 'jose', 'prom-client', 'secp256k1/bindings.js', 'undici/lib/core/connect.js'])
      assert.ok(names.includes(name), `the program loads ${name}`);
    const script = names.map((name) => `await import(${JSON.stringify(name)});`).join('\n');
    const args = ['--input-type=module', '--eval', script];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: join(root, 'app'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
