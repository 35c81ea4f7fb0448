/** The whole program as a process of its own, started as an operator does: from a configuration file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../../scripts/program-files.ts';
import { type IssuedKey, KeyBook } from '../../src/access/keys/key-book.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import type { ServiceStatus } from '../../src/observe/status.ts';
import { placeBuiltinStores } from './builtin-stores.ts';
import { makeTemporaryFolder } from './embedded.ts';
import { waitUntil } from './wait-until.ts';

const SERVICE = /POST https?:\/\/127\.0\.0\.1:(\d+)\//;
const ADMIN = /Status: +http:\/\/127\.0\.0\.1:(\d+)\/status/;
/** `ANNOUNCED` matches the last announced line, because every configuration here has a status page. */
const IN_USE = /: 127\.0\.0\.1:\d+ is in use/;
const ANNOUNCED = /Status: .*\n/;
const START_MS = 60_000;

export type ProgramConfig = Readonly<Record<string, unknown>>;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A folder with a configuration, from which the program is started, stopped and started again. */
export class Program {
  readonly #folder = makeTemporaryFolder();
  readonly #launcher: readonly string[];
  #child: ChildProcess | undefined;
  #exited: Promise<readonly [number | null, NodeJS.Signals | null]> | undefined;
  #printed = '';
  #config: ProgramConfig = {};

  /** @param launcher words in front of the command: a command that becomes the program, as `taskset` does */
  constructor(config: ProgramConfig, launcher: readonly string[] = []) {
    this.#launcher = launcher;
    this.configure(config);
  }

  /** Folder of the configuration, and of the data unless the configuration names another. */
  get folder(): string {
    return this.#folder.path;
  }

  get port(): number {
    return this.#readPort(SERVICE);
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.#readPort(ADMIN)}`;
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** All lines logged so far, over all starts. */
  get log(): readonly LogLine[] {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n').slice(0, -1);
    return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
  }

  /** Output on stderr that is no log line: the reason of a failed start. */
  get complaint(): string {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n');
    return lines.filter((line) => !line.startsWith('{')).join('\n');
  }

  /** Writes the configuration; ports that it does not name are any free ones. */
  configure(config: ProgramConfig): void {
    const ports = { listen: { port: 0 }, admin: { port: 0 }, dataDir: this.folder };
    this.#config = { ...ports, ...config };
    this.writeConfig(JSON.stringify(this.#config));
  }

  writeConfig(text: string): void {
    writeFileSync(this.configFile, text);
  }

  get configFile(): string {
    return join(this.folder, 'portcullis.yaml');
  }

  /** Starts the program; resolves when it has announced its addresses. @throws Error with its output when it ends instead */
  async start(options: readonly string[] = []): Promise<void> {
    await placeBuiltinStores(String(this.#config['dataDir']), this.#config);
    await this.#launch(options);
    const { port } = (this.#config['listen'] ?? {}) as { readonly port?: number };
    // Workers share a port that was picked a moment before they listen: another program may bind it first.
    if (!this.isRunning && port === 0 && IN_USE.test(this.complaint)) await this.#launch(options);
    if (!this.isRunning)
      throw new Error(`the program ended with ${this.#child?.exitCode}: ${this.complaint}`);
  }

  /** Resolves when the program has announced its addresses, or has ended. */
  async #launch(options: readonly string[]): Promise<void> {
    const [command = '', ...rest] = [...this.#launcher, process.execPath, MAIN];
    const log = openSync(this.#logFile, 'a');
    const { NODE_OPTIONS: _, ...environment } = process.env;
    const child = spawn(command, [...rest, 'serve', '--config', this.configFile, ...options], {
      stdio: ['ignore', 'pipe', log],
      env: environment,
    });
    closeSync(log);
    running.add(child);
    this.#child = child;
    this.#exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    child.once('exit', () => running.delete(child));
    this.#printed = '';
    child.stdout?.on('data', (chunk) => {
      this.#printed += chunk;
    });
    await waitUntil(() => ANNOUNCED.test(this.#printed) || !this.isRunning, START_MS);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Waits for the end of the program. @returns its exit code, or the signal that ended it */
  async waitForExit(): Promise<number | string | null> {
    const [code, signal] = (await this.#exited) ?? [null, null];
    return signal ?? code;
  }

  /** Stops the program as an operator does. @returns its exit code, or the signal that ended it */
  async stop(): Promise<number | string | null> {
    this.signal('SIGTERM');
    return this.waitForExit();
  }

  /** Creates a key in the folder, whether or not the program runs. */
  async createKey(settings: KeySettings = {}): Promise<IssuedKey> {
    const book = new KeyBook(new LmdbKeyTable(this.folder));
    const issued = await book.create('test', settings, false);
    await book.close();
    return issued;
  }

  /** @throws Error where the status cannot be computed now */
  async readStatus(): Promise<ServiceStatus> {
    const response = await fetch(`${this.adminUrl}/status.json`);
    if (!response.ok) throw new Error(`no status: ${response.status} ${await response.text()}`);
    return (await response.json()) as ServiceStatus;
  }

  async readMetrics(): Promise<string> {
    return (await fetch(`${this.adminUrl}/metrics`)).text();
  }

  /** Kills the program if it runs, and removes its folder. */
  async dispose(): Promise<void> {
    if (this.isRunning) {
      this.signal('SIGKILL');
      await this.waitForExit();
    }
    this.#folder.remove();
  }

  get #logFile(): string {
    return join(this.folder, 'portcullis.log');
  }

  #readPort(pattern: RegExp): number {
    return Number(pattern.exec(this.#printed)?.[1]);
  }
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly level: number; readonly msg: string };
