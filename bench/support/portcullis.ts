/** The whole program as a child process that a bench starts and stops. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../../scripts/program-files.ts';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import type { ChainFiles } from './chain.ts';

/** A server under measurement. */
export type Server = {
  readonly port: number;
  readonly pid: number;
  /** URL path of its requests. */
  readonly path: string;
  stop(): Promise<void>;
};

const READY = /POST http:\/\/127\.0\.0\.1:(\d+)\//;
const MAX_PRINTED = 64 * 1024;
const STOP_MS = 10_000;
const NETWORK = 'bench';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export type StartOptions = {
  /** Words in front of the command: a launcher that execs the program, as `taskset` does. */
  readonly launcher?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeArguments?: readonly string[];
  /** Main module of the program: by default this checkout's. */
  readonly program?: string;
};

/** Starts the program; resolves once it prints its address. */
export async function startPortcullis(
  args: readonly string[],
  { launcher = [], environment = {}, nodeArguments = [], program = MAIN }: StartOptions = {},
): Promise<Omit<Server, 'path'>> {
  const [command = '', ...rest] = [...launcher, process.execPath, ...nodeArguments, program, ...args];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      if (printed.length < MAX_PRINTED) printed += chunk;
      const match = READY.exec(printed);
      if (match !== null) resolve(Number(match[1]));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`portcullis ended with ${code}:\n${printed.slice(-500)}`)));
  });
  return { port, pid: child.pid as number, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

/** Serves the default development set-up: `portcullis dev` over a chain, everything at its default. */
export async function serveDevelopment(
  files: ChainFiles,
  folder: string,
  options?: StartOptions,
): Promise<Server> {
  const args = ['dev', '--genesis', files.genesis, '--blocks', files.blocks, '--port', '0', '--data', folder];
  return { ...(await startPortcullis(args, options)), path: '/v3/demo' };
}

/** A configuration that serves one chain, and the URL path of its requests. */
export type PreparedService = { readonly config: string; readonly path: string };

/** Writes a configuration over a store, with this time limit for a call, and creates a key for it. */
async function configure(data: string, folder: string, limitSeconds: number): Promise<PreparedService> {
  const config = join(folder, 'portcullis.yaml');
  const network = { hosts: ['bench.localhost'], embedded: { data }, callTimeout: `${limitSeconds}s` };
  const text = JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder,
    defaultNetwork: NETWORK,
    networks: { [NETWORK]: network },
    limits: { requestTimeout: `${limitSeconds}s` },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, text);
  const keys = new KeyBook(new LmdbKeyTable(folder));
  const { key } = await keys.create(NETWORK, {}, false);
  await keys.close();
  return { config, path: `/v3/${key}` };
}

/** Imports a chain into a folder and configures a service over it. */
export async function prepareStore(
  files: ChainFiles,
  folder: string,
  limitSeconds: number,
): Promise<PreparedService> {
  const data = join(folder, 'chain');
  mkdirSync(folder, { recursive: true });
  await importChain({ ...files, data, seal: 'ethash-format' }, SILENT_PROGRESS);
  return configure(data, folder, limitSeconds);
}

/** Imports a chain and serves it with this time limit for a call. */
export async function servePatiently(
  files: ChainFiles,
  folder: string,
  limitSeconds: number,
  options?: StartOptions,
): Promise<Server> {
  return serve(await prepareStore(files, folder, limitSeconds), options);
}

/** Serves a chain that was imported before. */
export async function serveStore(
  data: string,
  folder: string,
  limitSeconds: number,
  options?: StartOptions,
): Promise<Server> {
  return serve(await configure(data, folder, limitSeconds), options);
}

async function serve({ config, path }: PreparedService, options?: StartOptions): Promise<Server> {
  return { ...(await startPortcullis(['serve', '--config', config], options)), path };
}
