/** Longest uninterrupted pieces of a program's main thread, in its own processor time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STALL_FILE } from './stall-file.ts';

const PROBE = pathToFileURL(join(import.meta.dirname, 'stall-probe.js')).href;

/** Command prefix that loads the probe into a program and lets it write to this file. */
export function probeLauncher(file: string): readonly string[] {
  return ['env', `NODE_OPTIONS=--import=${PROBE}`, `${STALL_FILE}=${file}`];
}

/**
 * @param pid process id of a program that was started with `probeLauncher`
 * @param since Unix milliseconds
 * @returns milliseconds of the longest piece that ended since then or has not ended; 0 where none was long enough to be noted
 */
export function readLongestPiece(pid: number, file: string, since: number): number {
  const [beat = '', ...lines] = readFileSync(file, 'latin1').trimEnd().split('\n');
  const pieces = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= since);
  return Math.max(0, readProcessorMs(pid) - Number(beat), ...pieces.map(([, ms = 0]) => ms));
}

/** Processor time of the main thread, whose id is its process's; NaN where it has ended. */
function readProcessorMs(pid: number): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1'), 10) / 1e6;
  } catch {
    return Number.NaN;
  }
}
