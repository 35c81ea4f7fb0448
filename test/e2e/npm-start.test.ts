/** `npm start` itself, with a finished build: signals of supervisors and terminals reach the service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { waitUntil } from '../support/wait-until.ts';

type Package = { readonly scripts: Readonly<Record<string, string>> };
const PACKAGE: Package = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Copies the project with another build, because other tests use the real one's output meanwhile. @param step JavaScript that a build runs */
function copyProject(t: TestContext, step: string): string {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const { path } = folder;
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(path, file));
  mkdirSync(join(path, 'scripts'));
  for (const file of ['task.cjs', 'check-node.cjs', 'build-stamp.cjs'])
    cpSync(join(ROOT, 'scripts', file), join(path, 'scripts', file));
  writeFileSync(join(path, 'scripts/build-steps.cjs'), "module.exports = { program: [['step.cjs']] };");
  writeFileSync(join(path, 'step.cjs'), step);
  // A lock file that is newer than the installed packages would have them installed again, and they are those of all tests.
  utimesSync(join(path, 'package-lock.json'), 0, 0);
  mkdirSync(join(path, 'build'));
  cpSync(join(ROOT, 'build/program'), join(path, 'build/program'), { recursive: true });
  for (const name of ['chains', 'node_modules']) symlinkSync(join(ROOT, name), join(path, name));
  return path;
}

function startNpm(t: TestContext, folder: string): ChildProcess {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PORTCULLIS_PORT: '0', PORTCULLIS_ADMIN_PORT: 'off' },
    // A process group of its own, so that its remaining processes are killed with the test.
    detached: true,
  });
  t.after(() => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // No process of the group remains.
    }
  });
  return child;
}

/** Waits for a match in stdout, and leaves the stream open: writing to a closed one fails. */
function readUntil(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      const match = pattern.exec(printed);
      if (match !== null) resolve(match);
    });
    child.once('exit', () => reject(new Error(`it ended: ${printed}`)));
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to npm start ends the service and releases its port`, async (t) => {
    const child = startNpm(t, copyProject(t, ''));
    const exited = once(child, 'exit');
    const [, pid, port] = await readUntilReady(child);
    assert.equal(await isListening(port), true);
    child.kill(signal);
    const [code, endedBy] = await exited;
    // npm may end by an interrupt before the service, to which it forwards the signal.
    if (signal === 'SIGTERM' || endedBy === null) assert.equal(code, 0);
    else assert.equal(endedBy, signal);
    await waitUntil(() => !isRunning(pid));
    assert.equal(await isListening(port), false);
  });
}

/** Waits until the service listens. @returns the line, the pid of npm's child, which is the program itself, and the service's port */
async function readUntilReady(child: ChildProcess): Promise<readonly [string, number, number]> {
  const [line, port] = await readUntil(child, /listens on 127\.0\.0\.1:(\d+)/);
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const [pid = ''] = children;
  assert.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /^node\0scripts\/task\.cjs\0start\0/);
  return [line, Number(pid), Number(port)];
}

test('SIGTERM during the build of a first start prevents the start', async (t) => {
  const folder = copyProject(t, "console.log('building'); setTimeout(() => {}, 5000);");
  const child = startNpm(t, folder);
  const exited = once(child, 'exit');
  await readUntil(child, /building/);
  child.kill('SIGTERM');
  const [code, signal] = await exited;
  assert.ok(code !== 0 || signal !== null);
  // A service would be in npm's process group; only the build remains there.
  const commands = listGroup(child.pid as number);
  assert.ok(commands.length > 0, 'the build goes on');
  assert.deepEqual(
    commands.filter((command) => command.includes('task.cjs')),
    [],
  );
});

test('npm start builds only when a source has changed since its last complete build', (t) => {
  const folder = copyProject(t, "console.log('a build'); process.exitCode = Number(process.env.STATUS);");
  const start = (status = 0): string =>
    spawnSync('npm', ['start', '--silent', '--', '--version'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, STATUS: String(status) },
      encoding: 'utf8',
    }).stdout;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  assert.equal(start(1), 'a build\n', 'a failed build starts nothing');
  assert.equal(start(), `a build\n${version}\n`);
  assert.equal(start(), `${version}\n`);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/added.ts'), '');
  assert.equal(start(), `a build\n${version}\n`);
  assert.equal(start(), `${version}\n`);
  writeFileSync(join(folder, 'src/added.ts'), 'changed');
  assert.equal(start(), `a build\n${version}\n`);
  rmSync(join(folder, 'src/added.ts'));
  assert.equal(start(), `a build\n${version}\n`);
});

test('every npm script runs a task, and uses exec where the task becomes a program', () => {
  const tools = ['setup', 'build', 'coverage', 'lint', 'format', 'types', 'unused', 'package', 'prepack'];
  for (const [name, script] of Object.entries(PACKAGE.scripts))
    assert.equal(script, `${tools.includes(name) ? '' : 'exec '}node scripts/task.cjs ${name}`);
});

/** Lists the command lines of a process group. */
function listGroup(group: number): string[] {
  const commands: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // Fields after the name in parentheses: state, parent, group.
      const [, , pgid] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(pgid) === group)
        commands.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
    } catch {
      // The process has ended.
    }
  }
  return commands;
}
