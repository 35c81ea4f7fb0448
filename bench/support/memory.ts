import { readFileSync } from 'node:fs';

const KIB = 1024;
const MEGABYTE = 1e6;

/** Resident memory of a process, bytes. Linux only, as /proc is. */
export function readResidentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (line === null) throw new Error('the process has no VmRSS');
  return Number(line[1]) * KIB;
}

export function readResidentMegabytes(pid: number): number {
  return readResidentBytes(pid) / MEGABYTE;
}
