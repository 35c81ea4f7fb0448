/** File format between the probe in the measured program and its parent: a beat, then one line per long piece. */

/** Environment variable with the path of the file. */
export const STALL_FILE = 'STALL_FILE';
/** Interval between two clock checks. A measured piece includes other work of the same interval, so it is too long by at most this. */
export const INTERVAL_MS = 2;
/** Minimum length of a noted piece. */
export const NOTED_MS = 4;
/** Size of the first line: processor time of the main thread at the last check, in milliseconds. */
export const BEAT_BYTES = 64;

/** Encodes the first line of the file; its length is constant. */
export function encodeBeat(cpuMs: number): string {
  return `${cpuMs.toFixed(3).padEnd(BEAT_BYTES - 1)}\n`;
}
