/** What the probe in the measured program writes, and who starts the program reads: a beat, then a line for each long piece. */

/** Name of the environment variable with the path of the file. */
export const STALL_FILE = 'STALL_FILE';
/** Between two looks at the clock. A piece is too long by what the loop did in the same interval, so by at most this. */
export const INTERVAL_MS = 2;
/** Pieces below it are not noted. */
export const NOTED_MS = 4;
/** Room for the first line: processor time of the main thread at the last look, in milliseconds. */
export const BEAT_BYTES = 64;

/** The first line of the file, always of the same length. */
export function encodeBeat(cpuMs: number): string {
  return `${cpuMs.toFixed(3).padEnd(BEAT_BYTES - 1)}\n`;
}
