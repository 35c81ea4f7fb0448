/** A service in a terminal, which `script` (util-linux) simulates. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { MAIN } from '../../scripts/program-files.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

const HAS_SCRIPT = spawnSync('script', ['--version']).status === 0;
const SKIP: string | false = !HAS_SCRIPT && 'this machine has no script (util-linux)';
const BANNER = /Try: [^\n]*\n/;

/** Serves in a terminal until the banner is printed, and stops with Ctrl-C. @returns all output */
async function serveInTerminal(
  t: TestContext,
  log: object,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const node = { hosts: ['mine.localhost'], upstreams: ['http://127.0.0.1:1'], pool: { chainId: 7 } };
  const config = { listen: { port: 0 }, log, networks: { mine: node } };
  writeFileSync(join(folder.path, 'p.yaml'), JSON.stringify(config));
  const command = `echo pid $$; exec '${process.execPath}' '${MAIN}' serve --config p.yaml`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...variables },
  });
  let screen = '';
  // The program must be ended explicitly: when the terminal ends, SIGHUP only reloads the configuration.
  t.after(() => {
    if (child.exitCode === null) process.kill(Number(/pid (\d+)/.exec(screen)?.[1]), 'SIGKILL');
  });
  let isStopped = false;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    screen += chunk;
    if (isStopped || !BANNER.test(screen)) return;
    isStopped = true;
    child.stdin.write('\x03');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, screen);
  // The terminal echoes Ctrl-C.
  return screen.replaceAll(/\r|\^C/g, '');
}

describe('log lines in a terminal', { skip: SKIP }, () => {
  const STOPPING = /^\d\d:\d\d:\d\d\.\d{3} INFO {2}stopping {2}signal=SIGINT$/m;

  test('are readable and coloured', async (t) => {
    const screen = await serveInTerminal(t, {});
    assert.match(stripVTControlCharacters(screen), STOPPING);
    assert.ok(screen.includes('\x1b[32mINFO \x1b[0m'), screen);
    assert.doesNotMatch(screen, /^\{/m);
  });

  test('have no colours where NO_COLOR is set', async (t) => {
    const screen = await serveInTerminal(t, { format: 'pretty' }, { NO_COLOR: '1' });
    assert.match(screen, STOPPING);
    assert.ok(!screen.includes('\x1b'), screen);
  });

  test('are JSON with log.format: json', async (t) => {
    const screen = await serveInTerminal(t, { format: 'json' });
    assert.match(screen, /^\{"level":30,.*"msg":"stopping"\}$/m);
    assert.doesNotMatch(screen, STOPPING);
  });
});
