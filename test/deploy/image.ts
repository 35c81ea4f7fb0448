/** Runs the steps of the Dockerfile in folders, without a container. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { copyTree } from './copy-tree.ts';
import { isInContext, parseDockerfile, type Stage } from './dockerfile.ts';
import { copyProductionPackages } from './production-packages.ts';

const DOCKERFILE: string = readFileSync('Dockerfile', 'utf8');
export const STAGES: readonly Stage[] = parseDockerfile(DOCKERFILE);
const IGNORED = readFileSync('.dockerignore', 'utf8');
/** Folder of the program in the image. */
const APP = '/app';

/** `linked` uses the build and the packages of this checkout instead of building and installing. */
export type Mode = 'real' | 'linked';

/**
 * Runs every stage in a folder of its own below `root`. That folder is the root of the stage's file system, without its base image.
 * @returns the folder of the last stage
 * @throws Error naming the step that failed
 */
export function buildImage(root: string, mode: Mode, say: (line: string) => void = () => {}): string {
  // Every user may enter the folder, as in an image.
  chmodSync(root, 0o755);
  for (const stage of STAGES) {
    const app = join(root, stage.name, APP);
    mkdirSync(app, { recursive: true });
    for (const { name, text } of stage.instructions) {
      if (name === 'COPY') copy(root, stage, text);
      else if (name === 'RUN') {
        say(`${stage.name}: ${text}`);
        if (mode === 'real' || !link(text, app)) run(text, app);
      }
    }
  }
  return join(root, STAGES.at(-1)?.name ?? '');
}

function copy(root: string, stage: Stage, text: string): void {
  const words = text.split(' ');
  const options = new Map<string, string>();
  while (words[0]?.startsWith('--') === true) {
    const [name = '', value = ''] = (words.shift() as string).split('=');
    options.set(name, value);
  }
  const from = options.get('--from');
  const target = join(root, stage.name, resolve(APP, words.pop() as string));
  for (const word of words) {
    if (from === undefined && !isInContext(IGNORED, word))
      throw new Error(`COPY ${word}: .dockerignore leaves it out`);
    const source = from === undefined ? word : join(root, from, resolve(APP, word));
    const path = text.endsWith('/') ? join(target, basename(word)) : target;
    copyTree(source, path);
  }
}

function run(command: string, folder: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${command}: ${stderr.slice(-2_000)}`);
}

/** Copies the result of a step that installs or compiles from this checkout. @returns whether the step is one of these */
function link(command: string, app: string): boolean {
  if (command.startsWith('npm ci --omit=dev')) copyProductionPackages(join(app, 'node_modules'));
  else if (command.startsWith('npm ci'))
    symlinkSync(join(process.cwd(), 'node_modules'), join(app, 'node_modules'));
  else if (command.includes('bundle.js')) copyProgram(join(app, 'build/program'));
  else return command.startsWith('node_modules/.bin/tsc');
  return true;
}

/** Copies only files that the last build wrote, because modules of earlier builds stay in place for a day. */
function copyProgram(target: string): void {
  const { mtimeMs } = statSync('build/program/cli/main.js');
  cpSync('build/program', target, {
    recursive: true,
    filter: (path) => !/\/cli\/[^/]+\.js(\.map)?$/.test(path) || statSync(path).mtimeMs === mtimeMs,
  });
}
