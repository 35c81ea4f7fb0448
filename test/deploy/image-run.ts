import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPairs, readWords, type Stage } from './dockerfile.ts';
import { STAGES } from './image.ts';

const CONFIG =
  'networks: { devnet: { hosts: [devnet.localhost], builtin: devnet } }\ndefaultNetwork: devnet\n';
const CONFIG_PATH = '/etc/portcullis/portcullis.yaml';
/** Only root can start a process of another user. */
export const CAN_CHANGE_USER: boolean = process.getuid?.() === 0;

export type Outcome = {
  /** Exit codes of the health check: while the service runs, and after its end. */
  readonly health: readonly (number | null)[];
  readonly answer: string;
  readonly exitCode: number | null;
};

/**
 * Starts the command of the last stage with a folder as its root, checks its health, sends a request, and stops it. If this process may change its
 * user, the command runs as the user of the image. That user can write only to the volume, as with a read-only root and no temporary folder.
 * @param root folder of `buildImage`
 * @param node program that runs as `node`
 */
export async function runImage(root: string, node: string = process.execPath): Promise<Outcome> {
  const stage = STAGES.at(-1) as Stage;
  const [app, data] = [join(root, 'app'), join(root, 'data')];
  const [uid = 0, gid = 0] = readText(stage, 'USER').split(':').map(Number);
  if (CAN_CHANGE_USER) chownSync(data, uid, gid);
  const config = join(root, CONFIG_PATH);
  mkdirSync(join(config, '..'), { recursive: true });
  writeFileSync(config, CONFIG);
  const options = {
    cwd: app,
    env: {
      ...readPairs(stage, 'ENV'),
      HOME: root,
      TMPDIR: root,
      PORTCULLIS_HOST: '127.0.0.1',
      PORTCULLIS_PORT: '0',
      PORTCULLIS_DATA_DIR: data,
    },
    ...(CAN_CHANGE_USER ? { uid, gid } : {}),
  };
  const replaceWords = (words: readonly string[]): string[] =>
    words.map((word, i) => (i === 0 && word === 'node' ? node : word === CONFIG_PATH ? config : word));
  const [command = '', ...args] = replaceWords([
    ...readWords(stage, 'ENTRYPOINT'),
    ...readWords(stage, 'CMD'),
  ]);
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await readPort(child);
  const check = (): number | null => {
    const [program = '', ...rest] = replaceWords(readWords(stage, 'HEALTHCHECK'));
    return spawnSync(program, rest, { ...options, env: { ...options.env, PORTCULLIS_PORT: port } }).status;
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

const readText = (stage: Stage, name: string): string =>
  stage.instructions.find((instruction) => instruction.name === name)?.text ?? '';

async function readPort(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    printed += chunk;
    const port = /listens on \S+:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`it did not start: ${printed}`);
}
