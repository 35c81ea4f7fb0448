/**
 * Does the work of `docker build` and `docker run` without docker: every step of the Dockerfile in a temporary folder, with packages
 * installed, then the program with the image's command, its health check and a signal to end it. Takes minutes.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from './image.ts';
import { runImage } from './image-run.ts';

const root = mkdtempSync(join(tmpdir(), 'portcullis-image-'));
try {
  const app = buildImage(root, 'real', (line) => console.log(line));
  const data = join(root, 'data');
  mkdirSync(data);
  const { health, answer, exitCode } = await runImage(app, data);
  const isGood = health[0] === 0 && health[1] === 1 && answer.includes('"result"') && exitCode === 0;
  console.log(`health checks ${health.join(' and ')}, answer ${answer}, exit code ${exitCode}`);
  console.log(isGood ? 'every step works' : 'FAILED');
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(root, { recursive: true });
}
