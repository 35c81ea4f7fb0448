/**
 * Does the work of `docker build` and `docker run` without docker: every step of the Dockerfile in a temporary folder, with packages
 * installed, then the program with the image's version of node, its command, its health check and a signal to end it. Takes minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, STAGES } from './image.ts';
import { listImageFiles, sumMegabytes } from './image-files.ts';
import { runImage } from './image-run.ts';

/** Installs the node of the base image from npm. @returns its path */
function installNode(folder: string): string {
  const [version = ''] = /(?<=nodejs)\d+/.exec(STAGES.at(-1)?.base ?? '') ?? [];
  const name = `node-${process.platform}-${process.arch}`;
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`]);
  return join(folder, 'node_modules', name, 'bin/node');
}

const folder = mkdtempSync(join(tmpdir(), 'portcullis-image-'));
try {
  const root = buildImage(folder, 'real', (line) => console.log(line));
  const files = listImageFiles(root, 'app');
  const packed = execFileSync('sh', ['-c', 'tar c app | gzip | wc -c'], { cwd: root, encoding: 'utf8' });
  console.log(
    `layers: ${sumMegabytes(files).toFixed(1)} MB, compressed ${(Number(packed) / 1e6).toFixed(1)} MB`,
  );
  const node = installNode(join(folder, 'node'));
  const { health, answer, exitCode } = await runImage(root, node);
  const isGood = health[0] === 0 && health[1] === 1 && answer.includes('"result"') && exitCode === 0;
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(
    `node ${version}: health checks ${health.join(' and ')}, answer ${answer}, exit code ${exitCode}`,
  );
  console.log(isGood ? 'every step works' : 'FAILED');
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
