import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment, readWords, type Stage } from './dockerfile.ts';
import { STAGES } from './image.ts';

const CONFIG =
  'networks: { devnet: { hosts: [devnet.localhost], builtin: devnet } }\ndefaultNetwork: devnet\n';

export type Outcome = {
  /** Exit codes of the health check: while the service runs, and after its end. */
  readonly health: readonly (number | null)[];
  readonly answer: string;
  readonly exitCode: number | null;
};

/** Starts the command of the last stage over a folder as /app, checks its health, sends a request, and stops it. */
export async function runImage(app: string, data: string): Promise<Outcome> {
  const stage = STAGES.at(-1) as Stage;
  const config = join(data, 'portcullis.yaml');
  writeFileSync(config, CONFIG);
  const environment = {
    PATH: process.env['PATH'],
    ...readEnvironment(stage),
    PORTCULLIS_HOST: '127.0.0.1',
    PORTCULLIS_PORT: '0',
    PORTCULLIS_DATA_DIR: data,
  };
  const replacePaths = (words: readonly string[]): string[] =>
    words.map((word) => (word === '/etc/portcullis/portcullis.yaml' ? config : word));
  const [command = '', ...args] = replacePaths([
    ...readWords(stage, 'ENTRYPOINT'),
    ...readWords(stage, 'CMD'),
  ]);
  const child = spawn(command, args, { cwd: app, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await readPort(child);
  const check = (): number | null => {
    const [program = '', ...rest] = replacePaths(readWords(stage, 'HEALTHCHECK'));
    return spawnSync(program, rest, { cwd: app, env: { ...environment, PORTCULLIS_PORT: port } }).status;
  };
  const first = check();
  const response = await fetch(`http://127.0.0.1:${port}/v3/demo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  const answer = await response.text();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [exitCode] = (await exited) as [number | null];
  return { health: [first, check()], answer, exitCode };
}

async function readPort(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    printed += chunk;
    const port = /listens on \S+:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`it did not start: ${printed}`);
}
