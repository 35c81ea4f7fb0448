/** Real nodes for tests: Foundry's anvil, each a process of its own that can be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** JSON-RPC error of the node. */
export class NodeAnswerError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(
    method: string,
    error: { readonly code: number; readonly message: string; readonly data?: unknown },
  ) {
    super(`${method}: ${error.message}`);
    this.code = error.code;
    this.data = error.data;
  }
}

export type AnvilOptions = {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly args?: readonly string[];
  /** Words in front of the program: a command that becomes the program, as `taskset` does. */
  readonly launcher?: readonly string[];
};

const START_ATTEMPTS = 20;
const ATTEMPT_PAUSE_MS = 100;
const LISTENING = /Listening on 127\.0\.0\.1:(\d+)/;

/** The platform's own program: the npm package's wrapper would swallow signals. */
function findProgram(): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const wrapper = dirname(fileURLToPath(import.meta.resolve('@foundry-rs/anvil/bin.mjs')));
    const manifest = `@foundry-rs/anvil-${process.platform}-${architecture}/package.json`;
    const program = join(
      dirname(createRequire(join(wrapper, 'package.json')).resolve(manifest)),
      'bin/anvil',
    );
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

const PROGRAM: string | undefined = findProgram();

/** Reason why tests that need a real node cannot run here; false where they can. */
export const ANVIL_SKIP: string | false =
  PROGRAM === undefined && 'the package @foundry-rs/anvil has no program that runs on this machine';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the program; resolves with its port once it listens, rejects when it ends before. */
async function launch(
  port: number,
  args: readonly string[],
  launcher: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  const [command = '', ...rest] = [...launcher, PROGRAM ?? 'anvil', '--port', String(port), ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  const listening = new Promise<number>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (printed.length < 64 * 1024) printed += chunk;
      const match = LISTENING.exec(printed);
      if (match !== null) resolve(Number(match[1]));
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (printed.length < 64 * 1024) printed += chunk;
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code}:\n${printed.slice(-500)}`)));
  });
  return { child, port: await listening };
}

/** One node. Its address stays the same over restarts; `args` determine the chain that it loads. */
export class Anvil {
  readonly port: number;
  readonly #args: readonly string[];
  readonly #launcher: readonly string[];
  #child: ChildProcess;
  #lastId = 0;

  constructor(child: ChildProcess, port: number, args: readonly string[], launcher: readonly string[]) {
    this.#child = child;
    this.port = port;
    this.#args = args;
    this.#launcher = launcher;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Returns the node's result. @throws NodeAnswerError with the node's error */
  async request(method: string, ...params: readonly unknown[]): Promise<unknown> {
    this.#lastId++;
    const response = await fetch(this.httpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }),
    });
    const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
    if (answer.error !== undefined) throw new NodeAnswerError(method, answer.error);
    return answer.result;
  }

  /** SIGKILL: connections break, nothing is saved. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Starts a killed node again, on its port. */
  async restart(): Promise<void> {
    await this.kill();
    for (let attempt = 1; ; attempt++) {
      try {
        this.#child = (await launch(this.port, this.#args, this.#launcher)).child;
        break;
      } catch (error) {
        // Meanwhile the system may have assigned the port to a connection of another process.
        if (attempt === START_ATTEMPTS) throw error;
        await sleep(ATTEMPT_PAUSE_MS);
      }
    }
    await this.request('anvil_setLoggingEnabled', false);
  }
}

/** Starts a node and waits until it answers. It is killed at the latest when this process ends. */
export async function startAnvil({ port = 0, args = [], launcher = [] }: AnvilOptions = {}): Promise<Anvil> {
  const launched = await launch(port, args, launcher);
  const anvil = new Anvil(launched.child, launched.port, args, launcher);
  await anvil.request('anvil_setLoggingEnabled', false);
  return anvil;
}
