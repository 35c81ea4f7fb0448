/** Commands of a document, run in the order of the document in a folder of their own, with the built program. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { waitUntil } from './wait-until.ts';

export type CodeBlock = { readonly language: string; readonly text: string };

/** Lists the code blocks of each section, by its heading. @param level number of `#` of the headings */
export function listSections(document: string, level: number): ReadonlyMap<string, readonly CodeBlock[]> {
  const sections = new Map<string, CodeBlock[]>();
  let current: CodeBlock[] = [];
  const PART = /^(#+) ([^\n]+)$|^```(\w+)\n(.*?)^```$/gms;
  for (const [, marks, heading = '', language = '', text = ''] of document.matchAll(PART)) {
    if (marks === undefined) current.push({ language, text });
    else {
      current = [];
      if (marks.length === level) sections.set(heading, current);
    }
  }
  return sections;
}

/** Commands that run until a signal. */
const IS_SERVICE = /^portcullis (start|dev|serve)\b/;
const SERVICE_URL = /https?:\/\/(127\.0\.0\.1:\d+)\//;
const ADMIN_URL = /Status: +http:\/\/(127\.0\.0\.1:\d+)\/status/;
const KEY = /^[0-9a-f]{32}$/m;

/** A folder in which a reader of a document runs its commands. */
export class Reader {
  readonly #folder = makeTemporaryFolder();
  /** Environment of the commands, with the variables that they export. */
  readonly environment: Record<string, string>;
  readonly #nodes: Readonly<Record<string, string>>;
  #service: { readonly child: ChildProcess; readonly printed: () => string } | undefined;
  #key = '';
  /** Output of the latest command. */
  printed = '';
  /** Number of commands that have run. */
  commands = 0;

  /** @param nodes URLs that stand in a document for nodes, with the URLs of the nodes of a test */
  constructor(nodes: Readonly<Record<string, string>>) {
    this.#nodes = nodes;
    const programs = join(this.path, '.programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'portcullis'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    chmodSync(join(programs, 'portcullis'), 0o755);
    this.environment = {
      PATH: `${programs}${delimiter}${process.env['PATH']}`,
      HOME: this.path,
      PORTCULLIS_PORT: '0',
      PORTCULLIS_ADMIN_PORT: '0',
    };
    for (const file of ['genesis.json', 'blocks.rlp.gz'])
      cpSync(join(ROOT, 'chains/devnet', file), join(this.path, file.replace('blocks', 'chain')));
    mkdirSync(join(this.path, 'node_modules'));
    for (const name of ['viem', 'portcullis'])
      symlinkSync(
        name === 'viem' ? join(ROOT, 'node_modules/viem') : ROOT,
        join(this.path, 'node_modules', name),
      );
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Runs each line of a shell block; a service of an earlier block is stopped when another starts. */
  async runShell(text: string): Promise<void> {
    for (const line of text.replaceAll('\\\n', ' ').trim().split('\n')) {
      const [, name, value = ''] = /^(?:export )?(\w+)='(.*)'$/.exec(line) ?? [];
      if (name !== undefined) this.environment[name] = name === 'KEY' ? this.#key : value;
      else if (IS_SERVICE.test(line)) await this.#startService(line);
      // Packages come from a registry; test/embedding/package.test.ts installs the tarball.
      else if (!line.startsWith('npm install ')) await this.#run(line);
    }
  }

  /** Makes an edit of a document in a file: the lines with `-` and the unmarked ones stand there one after the other, and those with `+` replace the former. */
  edit(file: string, diff: string): void {
    const pick = (mark: string): string =>
      [...diff.matchAll(/^([ +-])(.*\n)/gm)]
        .flatMap(([, sign, line]) => (sign === mark || sign === ' ' ? [line] : []))
        .join('');
    const path = join(this.path, file);
    const before = readFileSync(path, 'utf8');
    assert.ok(before.includes(pick('-')), `${pick('-')} is not in\n${before}`);
    let after = before.replace(pick('-'), () => pick('+'));
    for (const [documented, real] of Object.entries(this.#nodes)) after = after.replaceAll(documented, real);
    writeFileSync(path, after);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  /** Stops the service. */
  async stop(): Promise<void> {
    const { child } = this.#service ?? {};
    this.#service = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  }

  /** Stops the service, and removes the folder. */
  async close(): Promise<void> {
    await this.stop();
    this.#folder.remove();
  }

  async #run(line: string): Promise<void> {
    const started = this.#service?.printed() ?? '';
    const [, service = '127.0.0.1:8545'] = SERVICE_URL.exec(started) ?? [];
    const [, admin = '127.0.0.1:9545'] = ADMIN_URL.exec(started) ?? [];
    const command = line.replaceAll('127.0.0.1:8545', service).replaceAll('127.0.0.1:9545', admin);
    const { child, output } = this.#spawn(command);
    const [code] = await once(child, 'close');
    assert.equal(code, 0, `${line}\n${output.out}${output.err}`);
    assert.doesNotMatch(output.out, /^\{"jsonrpc":.*"error":/, line);
    this.printed = output.out;
    if (line.includes(' keys create ')) this.#key = KEY.exec(output.out)?.[0] ?? '';
  }

  async #startService(line: string): Promise<void> {
    await this.stop();
    const { child, output } = this.#spawn(`exec ${line}`);
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    this.#service = { child, printed: () => output.out };
    await waitUntil(() => {
      assert.equal(child.exitCode, null, `${line}\n${output.err}`);
      return /Try: .*\n/.test(output.out);
    });
  }

  #spawn(command: string): { child: ChildProcess; output: { out: string; err: string } } {
    this.commands++;
    const child = spawn('sh', ['-c', command], { cwd: this.path, env: this.environment });
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      output.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output.err += chunk;
    });
    return { child, output };
  }
}
