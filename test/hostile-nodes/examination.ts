/** Runs `portcullis doctor` of the shipped program on a network with a hostile node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../../scripts/program-files.ts';
import { watchMemory } from '../abuse/stage/vitals.ts';
import { giveIdlePriority } from '../support/idle-priority.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Time limit. Doctor sends one call after another, and waits for each as long as a client's call does. */
const LIMIT_MS = 60_000;

export type Examination = {
  /** Undefined where it had not ended after a minute. */
  readonly exitCode: number | undefined;
  readonly peakBytes: number;
  readonly printed: string;
};

/**
 * @param network network in the format of a configuration
 * @param isIdle whether it only gets processor time that others leave
 */
export async function examine(name: string, network: object, isIdle: boolean): Promise<Examination> {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'portcullis.yaml');
  writeFileSync(file, JSON.stringify({ dataDir: folder.path, networks: { [name]: network } }));
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, 'doctor', '--config', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  if (isIdle) giveIdlePriority(child.pid as number);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  const readPeak = watchMemory(child.pid as number);
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  const peakBytes = readPeak();
  folder.remove();
  return { exitCode: exitCode ?? undefined, peakBytes, printed };
}
