/** Decides whether a build would change anything, from the paths, sizes and modification times of its inputs. */
const { createHash } = require('node:crypto');
const { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const PROGRAM_INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'packages',
  'scripts',
  'src',
];

/** Files and folders that each build reads. */
const INPUTS = { program: PROGRAM_INPUTS, all: [...PROGRAM_INPUTS, 'tsconfig.json', 'bench', 'test'] };

/** Folders inside the inputs that a build or npm writes. */
const OUTPUTS = new Set(['dist', 'node_modules']);

function* listFiles(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) yield `${path}\0${stats.size}\0${stats.mtimeMs}`;
  else
    for (const name of readdirSync(path).sort()) if (!OUTPUTS.has(name)) yield* listFiles(join(path, name));
}

/** Returns a digest of the inputs of a build. */
function fingerprint(root, build) {
  const hash = createHash('sha256');
  for (const input of INPUTS[build])
    for (const file of listFiles(join(root, input))) hash.update(file).update('\n');
  return hash.digest('hex');
}

const stampFile = (root, build) => join(root, 'build', '.stamps', build);

/** Whether the last complete build of this kind had these inputs. */
function isBuilt(root, build, print) {
  try {
    return readFileSync(stampFile(root, build), 'utf8') === print;
  } catch {
    return false;
  }
}

/** Records that a build with these inputs is complete. */
function recordBuild(root, build, print) {
  mkdirSync(join(root, 'build', '.stamps'), { recursive: true });
  writeFileSync(stampFile(root, build), print);
}

module.exports = { fingerprint, isBuilt, recordBuild };
