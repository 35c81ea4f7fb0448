import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAMS = ['valkey-server', 'redis-server'];
/** Attempts to start: another process may take the port between its choice and its use. */
const ATTEMPTS = 5;

export const NO_REDIS_REASON: string =
  'neither valkey-server nor redis-server in the PATH: install one to run these';

/** Path of the server's program; undefined where it is not installed. Tests then skip with `NO_REDIS_REASON`. */
export function findRedisProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  return candidates.find(isExecutable);
}

/** A real server, empty at each start, that tests can kill, restart and freeze. */
export type RedisServer = {
  readonly port: number;
  /** Kills it without a clean shutdown. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Suspends the process; its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server on a free port of 127.0.0.1. @param extra additional arguments */
export async function startRedis(...extra: readonly string[]): Promise<RedisServer> {
  const program = findRedisProgram();
  if (program === undefined) throw new Error(NO_REDIS_REASON);
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-redis-'));
  const fixed = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', ...extra];
  const launch = (port: number): Promise<ChildProcess> =>
    launchProgram(program, ['--port', String(port), ...fixed]);
  let { port, child } = await launchSomewhere(launch);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return {
    port,
    kill,
    restart: async () => {
      child = await launch(port);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launchSomewhere(
  launch: (port: number) => Promise<ChildProcess>,
): Promise<{ port: number; child: ChildProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    try {
      return { port, child: await launch(port) };
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Resolves when it accepts connections; rejects when it ends before. */
async function launchProgram(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('eady to accept connections')) continue;
    child.stdout.resume();
    return child;
  }
  throw new Error(`${program} ended before it was ready`);
}

/** Finds a port that has no listener at the moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
