/** `portcullis init`: the files that it writes are accepted and served. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { INIT_MODES, type InitMode } from '../../src/cli/init-templates.ts';
import { createBuiltinConfig } from '../../src/config/builtin-config.ts';
import { loadConfig, parseConfig } from '../../src/config/load-config.ts';
import { waitUntil } from '../support/wait-until.ts';

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs the program in a folder. */
function run(folder: string, args: readonly string[], environment: Record<string, string> = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { code: status, out: stdout, err: stderr };
}

for (const mode of INIT_MODES) {
  test(`the file of --mode ${mode} passes check-config, and the output has the next commands`, (t) => {
    const folder = makeFolder(t);
    const { code, out, err } = run(folder, ['init', '--mode', mode, '--output', 'my.yaml']);
    assert.equal(code, 0, err);
    assert.match(out, /^Wrote my\.yaml\. /);
    for (const command of ['check-config', 'keys create --name my-app --config', 'serve --config']) {
      assert.ok(out.includes(`\n  portcullis ${command} my.yaml\n`), out);
    }
    assert.deepEqual(run(folder, ['check-config', 'my.yaml']), { code: 0, out: 'ok\n', err: '' });
  });

  test(`unset options of --mode ${mode} are valid when they are set`, (t) => {
    const folder = makeFolder(t);
    run(folder, ['init', '--mode', mode]);
    const text = readFileSync(join(folder, 'portcullis.yaml'), 'utf8');
    const set = text
      .replaceAll(/^( *)#(?=\S)/gm, '$1')
      .replace(/^ *builtin: devnet\n(?= .*\n *embedded:)/m, '');
    assert.ok(set.length < text.length);
    parseConfig(set, { name: 'p', folder, environment: { NODE_KEY: 'k', ADMIN_KEY: '0123456789abcdef' } });
  });
}

test('--mode dev configures the networks that are served without a file', async (t) => {
  const folder = makeFolder(t);
  run(folder, ['init']);
  const { networks, defaultNetwork } = await loadConfig(join(folder, 'portcullis.yaml'), {});
  const builtin = createBuiltinConfig({});
  assert.deepEqual(networks, builtin.networks);
  assert.equal(defaultNetwork, builtin.defaultNetwork);
});

test('a file is overwritten only with --force', (t) => {
  const folder = makeFolder(t);
  const file = join(folder, 'portcullis.yaml');
  writeFileSync(file, 'mine\n');
  const { code, out, err } = run(folder, ['init']);
  assert.deepEqual([code, out], [1, '']);
  assert.equal(
    err,
    'portcullis: portcullis.yaml: the file exists: choose another with --output, or overwrite it with --force\n',
  );
  assert.equal(readFileSync(file, 'utf8'), 'mine\n');
  assert.equal(run(folder, ['init', '--force']).code, 0);
  assert.match(readFileSync(file, 'utf8'), /^listen:$/m);
});

test('an unknown mode and a missing folder are errors', (t) => {
  const folder = makeFolder(t);
  const mode = run(folder, ['init', '--mode', 'node']);
  assert.equal(mode.code, 2);
  assert.match(mode.err, /^portcullis: --mode cannot be "node", did you mean nodes\?\n/);
  const missing = run(folder, ['init', '--output', 'none/p.yaml']);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /^portcullis: none\/p\.yaml: /);
  assert.match(run(folder, ['init', '--help']).out, /--mode MODE .*embedded/);
});

test('the first line names the JSON Schema, by a relative path if the program is below the folder of the file', (t) => {
  const folder = makeFolder(t);
  run(folder, ['init']);
  const schema = join(ROOT, 'docs/portcullis.schema.json');
  const [first] = readFileSync(join(folder, 'portcullis.yaml'), 'utf8').split('\n');
  assert.equal(first, `# yaml-language-server: $schema=${schema}`);
  JSON.parse(readFileSync(schema, 'utf8'));

  // A copy of the program's folder, as a package is installed.
  const installed = join(folder, 'node_modules/portcullis');
  mkdirSync(join(installed, 'build'), { recursive: true });
  for (const name of ['docs', 'package.json', 'node_modules', 'build/program']) {
    symlinkSync(join(ROOT, name), join(installed, name));
  }
  const main = join(installed, 'build/program/cli/main.js');
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const { status, stderr } = spawnSync(process.execPath, [...flags, main, 'init', '--output', 'own.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(
    readFileSync(join(folder, 'own.yaml'), 'utf8'),
    /^# yaml-language-server: \$schema=\.\/node_modules\/portcullis\/docs\/portcullis\.schema\.json\n/,
  );
});

test('the commands begin as the program was started', (t) => {
  const folder = makeFolder(t);
  const { out } = run(folder, ['init', '--output', 'a b.yaml'], { npm_lifecycle_event: 'npx' });
  assert.match(out, /\n {2}npx portcullis serve --config "a b\.yaml"\n$/);
});

const SERVED: readonly InitMode[] = ['dev', 'embedded'];
for (const mode of SERVED) {
  test(`the file of --mode ${mode} is served by the commands that init prints`, async (t) => {
    const folder = makeFolder(t);
    run(folder, ['init', '--mode', mode]);
    const key = run(folder, ['keys', 'create', '--name', 'my-app', '--config', 'portcullis.yaml']).out.trim();
    const child = spawn(process.execPath, [MAIN, 'serve', '--config', 'portcullis.yaml'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORTCULLIS_PORT: '0', PORTCULLIS_ADMIN_PORT: 'off' },
    });
    const exited = once(child, 'exit');
    t.after(() => child.kill('SIGKILL'));
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    await waitUntil(() => {
      assert.equal(child.exitCode, null, err);
      return /127\.0\.0\.1:\d+/.test(out);
    });
    const port = /127\.0\.0\.1:(\d+)/.exec(out)?.[1];
    const network = mode === 'dev' ? 'devnet' : 'mine';
    const response = await fetch(`http://127.0.0.1:${port}/${network}/v3/${key}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    });
    const { result } = (await response.json()) as { readonly result: string };
    assert.equal(result, '0x1ca9');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
}
