/** Runs the steps of the Dockerfile in folders, without a container. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isInContext, parseDockerfile, type Stage } from './dockerfile.ts';

export const DOCKERFILE: string = readFileSync('Dockerfile', 'utf8');
export const STAGES: readonly Stage[] = parseDockerfile(DOCKERFILE);
const IGNORED = readFileSync('.dockerignore', 'utf8');
/** Steps that change the base image, which does not exist here. */
const OF_THE_IMAGE = /^rm -rf \/usr\/local/;

/** `linked` uses the build and the packages of this checkout instead of building and installing. */
export type Mode = 'real' | 'linked';

/**
 * Runs every stage in a folder of its own below `root`.
 * @returns the folder that the last stage has as /app
 * @throws Error naming the step that failed
 */
export function buildImage(root: string, mode: Mode, say: (line: string) => void = () => {}): string {
  for (const stage of STAGES) {
    const app = join(root, stage.name, 'app');
    mkdirSync(app, { recursive: true });
    for (const { name, text } of stage.instructions) {
      if (name === 'COPY') copy(root, stage, text);
      else if (name === 'RUN' && !OF_THE_IMAGE.test(text)) {
        say(`${stage.name}: ${text}`);
        if (mode === 'real') run(text, app);
        else link(text, app);
      }
    }
  }
  return join(root, STAGES.at(-1)?.name ?? '', 'app');
}

function copy(root: string, stage: Stage, text: string): void {
  const words = text.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = join(root, stage.name, 'app', words.pop() as string);
  for (const word of words) {
    if (from === undefined && !isInContext(IGNORED, word))
      throw new Error(`COPY ${word}: .dockerignore leaves it out`);
    const source = from === undefined ? word : join(root, from, word);
    const isFolder = text.endsWith('/');
    cpSync(source, isFolder ? join(target, basename(word)) : target, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function run(command: string, folder: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${command}: ${stderr.slice(-2_000)}`);
}

/** Links or copies the result of a step from this checkout. */
function link(command: string, app: string): void {
  if (command.startsWith('npm ci'))
    symlinkSync(join(process.cwd(), 'node_modules'), join(app, 'node_modules'));
  // A copy, because the program finds its packages relative to its own path.
  if (command.includes('bundle.js')) cpSync('build/program', join(app, 'build/program'), { recursive: true });
}
